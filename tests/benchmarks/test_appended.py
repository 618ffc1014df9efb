from pathlib import Path

from benchmarks.appended import append, done


def test_rows_are_added_below_the_names_and_known_by_some_columns(
    tmp_path: Path,
) -> None:
    path, fields = tmp_path / "rows.csv", ("task", "seed", "value")
    assert done(path, ("task", "seed")) == set()
    append(path, fields, [("wine", 0, "0.5")])
    append(path, fields, [("wine", 1, "0.25"), ("wine", 1, "0.75")])
    assert path.read_text().splitlines() == [
        *("task,seed,value", "wine,0,0.5", "wine,1,0.25", "wine,1,0.75"),
    ]
    assert done(path, fields[:2]) == {("wine", "0"), ("wine", "1")}
