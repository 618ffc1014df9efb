"""Tables mark what is best, and say where doubt is beaten."""

from antireg.paper.demo.layout import Column, Story, shown
from tests.paper.demo.small import an_outcome

COLUMNS = [
    Column("accuracy", "accuracy"),
    Column("auroc", "AUROC", "{:.3f}"),
    Column("false_alarms", "false alarms", ideal=0.05),
]


def a_part(*outcomes):
    return shown(Story("Title", "Text", [], COLUMNS, "Note."), outcomes)


def note(*outcomes):
    return a_part(*outcomes)["note"].replace("\N{NO-BREAK SPACE}", " ")


def numbers(*values):
    return dict(zip(["accuracy", "auroc", "false_alarms"], values, strict=True))


def test_the_page_says_where_doubt_is_beaten():
    best = an_outcome("DE (NLL)", numbers(0.9, 0.5, 0.05))
    doubt = an_outcome("doubt", numbers(0.8, 0.6, 0.04))
    assert note(best, doubt) == (
        "Note. Doubt is beaten here in accuracy (80.0 % against 90.0 %) and false "
        "alarms (4.0 % against 5.0 %)."
    )


def test_the_page_says_when_doubt_is_not_beaten():
    best = an_outcome("doubt", numbers(0.9, 0.7, 0.05))
    other = an_outcome("DE (NLL)", numbers(0.8, 0.6, 0.04))
    assert note(other, best) == "Note. Doubt is not beaten in any column here."


def test_what_training_said_is_shown_with_its_method():
    doubt = an_outcome("doubt", numbers(0.8, 0.6, 0.04))
    doubt.advice.append("Train <longer>.")
    assert a_part(doubt)["advice"] == [("doubt", "Train <longer>.")]


def test_the_number_nearest_the_ideal_stands_out_and_ties_share():
    outcomes = [an_outcome("doubt", {"a": value}) for value in (0.1, 0.3, 0.3001)]
    assert Column("a", "A", "{:.2f}").best(outcomes) == {"0.30"}
    assert Column("a", "A", "{:.2f}", ideal=0.0).best(outcomes) == {"0.10"}
    assert Column("a", "A", ideal=None).best(outcomes) == set()


def test_best_numbers_are_strong_in_the_table():
    header, rows = a_part(
        an_outcome("doubt", numbers(0.9, 0.6, 0.05)),
        an_outcome("DE (NLL)", numbers(0.8, 0.7, 0.01)),
    )["cells"]
    assert header == ["", "accuracy", "AUROC", "false alarms"]
    cells = [[cell.replace("\N{NO-BREAK SPACE}", " ") for cell in row] for row in rows]
    assert cells == [
        ["doubt", "<strong>90.0 %</strong>", "0.600", "<strong>5.0 %</strong>"],
        ["DE (NLL)", "80.0 %", "<strong>0.700</strong>", "1.0 %"],
    ]
