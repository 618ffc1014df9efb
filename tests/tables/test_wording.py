from antireg.tables import wording


def test_reasons_read_as_the_issue_has_them():
    assert wording.outside("below", 2344, "12", "2,150") == (
        "below all 2,344 seen (12 … 2,150)"
    )
    assert wording.outside("after", 2344, "2019-01-01", "2024-12-31") == (
        "after all 2,344 seen (2019-01-01 to 2024-12-31)"
    )
    assert wording.unseen("region", "north") == "region 'north': not seen"
    assert (
        wording.never_missing("income") == "income missing: never missing in training"
    )
    assert wording.unreadable("area", "many", "numeric") == "area 'many': not a number"
    assert wording.unreadable("sold", "x", "date") == "sold 'x': not a date"
    assert wording.rare("income missing") == "income missing: rare in training"
    assert wording.far("area 9", "above", "2") == (
        "area 9: far above the mean of training (2)"
    )
    assert wording.never_together("heating 'oil'", "built 2009", 2000) == (
        "heating 'oil' with built 2009: no such pair seen in 2,000 rows"
    )
    assert wording.in_a_gap("area 900", 1000, "431", "1,600") == (
        "area 900: none of 1,000 seen between 431 and 1,600"
    )
    assert wording.few_near("area 900") == "area 900: few seen near it"
    assert wording.beside_others("rooms 2") == (
        "rooms 2: unusual beside the other columns"
    )


def test_long_or_commanding_cells_are_cut_and_spelled_out():
    said = wording.unseen("region", "\x1b]0;owned\x07" + "x" * 1000)
    assert "\x1b" not in said
    assert len(said) < 100


def test_numbers_have_the_digits_that_tell_them_apart():
    assert wording.number(-999.0) == "-999"
    assert wording.number(1_234_567.0) == "1,234,567"
    assert wording.number(2150.4) == "2,150.4"
    assert wording.number(0.1 + 0.2) == "0.3"
    assert wording.number(1e300) == "1e+300"


def test_few_reasons_are_given():
    assert wording.joined(["a", "b", "c", "d"]) == "a; b; c"
