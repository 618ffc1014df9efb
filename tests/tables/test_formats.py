import gzip

import pytest

from antireg.tables.formats import Format, kind_of, open_text, recognised


def found(tmp_path, content, name="t.csv", stated=None):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return recognised(path, stated or Format())


SEPARATED = {
    "a,b\n1,2\n": ",",
    "a;b\n1,5;2,5\n": ";",
    "a\tb\n1,5\t2\n": "\t",
    "a|b\n1|2\n": "|",
    'a;b\n"x;y";2\n': ";",
    'a,b\n"x;y",2\n': ",",
    'name;x,"b;c"\n1,2\n': ",",
    "a\n1\n": ",",
    "": ",",
    "a,b;c\n1;2\n3;4\n": ";",
    "a,b\n1;2;3\n": ",",
}


@pytest.mark.parametrize("content", SEPARATED)
def test_the_separator_is_what_cuts_all_lines_alike(content, tmp_path):
    assert found(tmp_path, content).separator == SEPARATED[content]


DECIMAL = {
    "a;b\n1,5;x\n": ",",
    "a;b\n1.5;x\n": ".",
    "a;b\n1.234,5;x\n": ",",
    "a;b\n1,234;x\n": ",",
    "a;b\n12.345;x\n": ".",
    "a\tb\n1,234\tx\n": ".",
    'a,b\n"1,234",x\n': ".",
    'a,b\n"1,5",x\n': ",",
    "a,b\n0.123,x\n": ".",
    "a;b;c\n1.5;2.5;1,2\n": ".",
    "a;b\n1,5 €;05.01.2024\n": ",",
    "a;b\n1e5;2.5e-3\n": ".",
}


@pytest.mark.parametrize("content", DECIMAL)
def test_the_decimal_mark_is_what_more_columns_show(content, tmp_path):
    assert found(tmp_path, content).decimal == DECIMAL[content]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_first_bytes_say_the_encoding(encoding, tmp_path):
    content = "größe;b\n1,5;2\n".encode(encoding)
    layout = found(tmp_path, content)
    assert layout == Format(encoding, ";", ",")
    assert (
        layout.words == f"in {encoding}, separated by semicolons, with decimal commas"
    )
    with open_text(tmp_path / "t.csv", encoding) as opened:
        assert opened.text.read() == "größe;b\n1,5;2\n".encode()


def test_plain_files_have_nothing_to_say(tmp_path):
    assert found(tmp_path, "\ufeffa,b\n1.5,2\n") == Format("utf-8", ",", ".")
    assert found(tmp_path, "a,b\n").words == ""


def test_what_is_stated_is_believed(tmp_path):
    stated = Format("latin-1", "|", ",")
    assert found(tmp_path, "a,b\n1.5,2\n", stated=stated) == stated
    assert found(tmp_path, "a\n1\n", stated=Format("UTF_8")).encoding == "utf-8"


@pytest.mark.parametrize("name", ["klingon", "base64", "\0"])
def test_an_encoding_that_is_none_is_refused(name, tmp_path):
    with pytest.raises(ValueError, match="--encoding must be one that Python knows"):
        found(tmp_path, "a\n", stated=Format(name))


def test_only_the_beginning_is_looked_at(tmp_path):
    line = b"1;2,5\n"
    assert found(tmp_path, b"a;b\n" + line * 200_000 + b"x") == Format(
        "utf-8", ";", ","
    )


def test_compressed_text_is_read(tmp_path):
    content = gzip.compress(b"a;b\n1,5;2\n")
    assert found(tmp_path, content, "t.csv.gz") == Format("utf-8", ";", ",")


def test_names_say_what_a_file_is(tmp_path):
    kinds = {
        "text": ["a.csv", "a.CSV", "a.b.tsv", "a.txt", "a.csv.gz", "a.tsv.ZST"],
        "parquet": ["a.parquet", "a.b.PARQUET"],
        "sheet": ["a.xlsx"],
    }
    for kind, names in kinds.items():
        assert [kind_of(tmp_path / name) for name in names] == [kind] * len(names)
    for name in ("a", "a.gz", "a.xls", "a.csv.bz2", ".csv", "csv"):
        with pytest.raises(ValueError, match="must be a file ending in"):
            kind_of(tmp_path / name)
