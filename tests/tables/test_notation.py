from antireg.tables.notation import USUAL, BadCell, Notation


def test_usual_cells_have_no_words_for_gaps_and_no_order_of_dates():
    assert Notation((), None) == USUAL


def test_bad_cells_are_ordered_by_row():
    assert min([BadCell(3, "a", "x"), BadCell(1, "b", "y")]).row == 1
