"""Tables mark what is best, and say where DARE is beaten."""

from antireg.paper.demo.layout import Column, Story, section
from tests.paper.demo.small import an_outcome

COLUMNS = [
    Column("accuracy", "accuracy"),
    Column("auroc", "AUROC", "{:.3f}"),
    Column("false_alarms", "false alarms", ideal=0.05),
]


def shown(*outcomes):
    html = section(Story("Title", "Text", [], COLUMNS, "Note."), outcomes)
    return html.replace("\N{NO-BREAK SPACE}", " ")


def numbers(*values):
    return dict(zip(["accuracy", "auroc", "false_alarms"], values, strict=True))


def test_the_page_says_where_dare_is_beaten():
    best = an_outcome("DE (NLL)", numbers(0.9, 0.5, 0.05))
    dare = an_outcome("DARE", numbers(0.8, 0.6, 0.04))
    assert (
        "Note. DARE is beaten here in accuracy (80.0 % against 90.0 %) and false "
        "alarms (4.0 % against 5.0 %)."
    ) in shown(best, dare)


def test_the_page_says_when_dare_is_not_beaten():
    best = an_outcome("DARE", numbers(0.9, 0.7, 0.05))
    other = an_outcome("DE (NLL)", numbers(0.8, 0.6, 0.04))
    assert "Note. DARE is not beaten in any column here." in shown(other, best)


def test_what_training_said_is_shown_with_its_method():
    dare = an_outcome("DARE", numbers(0.8, 0.6, 0.04))
    dare.advice.append("Train <longer>.")
    assert "What training said of DARE: “Train &lt;longer&gt;.”" in shown(dare)


def test_the_number_nearest_the_ideal_stands_out_and_ties_share():
    outcomes = [an_outcome("DARE", {"a": value}) for value in (0.1, 0.3, 0.3001)]
    assert Column("a", "A", "{:.2f}").best(outcomes) == {"0.30"}
    assert Column("a", "A", "{:.2f}", ideal=0.0).best(outcomes) == {"0.10"}
    assert Column("a", "A", ideal=None).best(outcomes) == set()


def test_best_numbers_are_strong_in_the_table():
    text = shown(
        an_outcome("DARE", numbers(0.9, 0.6, 0.05)),
        an_outcome("DE (NLL)", numbers(0.8, 0.7, 0.01)),
    )
    assert "<strong>90.0 %</strong>" in text
    assert "<strong>0.700</strong>" in text
    assert "<strong>5.0 %</strong>" in text
    assert text.count("<strong>") == 3
