import pyarrow as pa
import pytest

from antireg.tables import learn_encoding


def learn(values, **settings):
    return learn_encoding(
        pa.table({"a": values, "y": [1.0] * len(values)}), "y", **settings
    )


def test_numbers_can_be_read_as_categories():
    column = learn([75001, 75002], categorical=["a"]).columns[0]
    assert column.categories == ("75001", "75002")


def test_too_many_categories_are_refused():
    with pytest.raises(ValueError, match=r"at most 100 .* got 101\. Leave it out with"):
        learn([str(k) for k in range(101)])
    assert len(learn([str(k) for k in range(101)], most_categories=101).features) == 102


def test_times_without_a_date_and_columns_without_numbers_are_refused():
    with pytest.raises(ValueError, match="must hold numbers, text, dates or true and"):
        learn(pa.array([0, 1], pa.time32("s")))
    with pytest.raises(ValueError, match="finite numbers, got none"):
        learn(pa.array([None, None], pa.float64()))


def test_a_table_of_the_target_alone_is_refused():
    with pytest.raises(ValueError, match="a column beside the target"):
        learn_encoding(pa.table({"y": [1.0]}), "y")


def test_tables_and_columns_without_values_are_refused():
    with pytest.raises(ValueError, match="must have rows to learn from"):
        learn(pa.array([], pa.float64()))
    with pytest.raises(ValueError, match="must hold some values, got none"):
        learn(pa.nulls(2))


def test_a_column_that_numbers_the_rows_is_warned_of():
    shuffled = [7 * k % 30 + 1 for k in range(30)]
    with pytest.warns(UserWarning, match="'a' numbers the rows, from 1 to 30"):
        learn(shuffled)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "values",
    [
        [*range(29), 40],
        [*range(29), 28],
        list(range(19)),
        [*range(29), None],
        [k + 0.5 for k in range(30)],
    ],
)
def test_other_whole_numbers_are_not(values):
    assert learn(values).columns[0].kind == "numeric"


def test_nothing_is_learnt_from_rows_without_a_target():
    table = pa.table(
        {"a": [1.0, 3.0, None], "b": ["x", "y", "z"], "y": [1.0, 2.0, None]}
    )
    number, word = learn_encoding(table, "y").columns
    assert (number.fill, number.missing) == (2.0, False)
    assert word.categories == ("x", "y")
    with pytest.raises(ValueError, match="must have rows with a value of 'y'"):
        learn_encoding(table.slice(2), "y")


@pytest.mark.parametrize(
    ("values", "mean"),
    [([1.7e308] * 2, 1.7e308), ([1.7e308] * 128 + [-1.7e308] * 128, 0.0)],
)
def test_the_mean_of_huge_numbers_is_a_number(values, mean):
    assert learn(values).columns[0].fill == mean
