from antireg.tables.names import columns, counted, listing, meant, short


def test_long_lists_and_texts_are_cut():
    assert listing(["a", "b'"]) == """'a', "b'\""""
    assert listing([str(k) for k in range(10)], most=2) == "'0', '1' and 8 more"
    assert len(listing(["x" * 1000] * 100)) < 600
    assert short("abcdef", 3) == "abc …"
    assert short("abc", 3) == "abc"


def test_one_is_not_many():
    assert columns(["a"]) == "column 'a'"
    assert columns(["a", "b"]) == "columns 'a', 'b'"
    assert counted(1, "row") == "1 row"
    assert counted(2344, "row") == "2,344 rows"
    assert counted(0, "row") == "0 rows"


def test_a_name_that_is_like_a_wrong_one_is_asked_for():
    assert meant("strenght", ["cement", "strength"]) == " Did you mean 'strength'?"
    assert meant("x", ["cement", "strength"]) == ""
