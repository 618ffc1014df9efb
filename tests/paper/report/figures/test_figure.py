from antireg.paper.report.figures.figure import Figure, slug
from antireg.paper.report.sections import TEMPLATES
from antireg.report.charts import Chart
from antireg.report.pictures import Picture


def html(shown):
    return TEMPLATES.render("delta.html", figures={"deltas": shown})


def test_what_cannot_be_drawn_is_named():
    shown = Figure()
    shown.add("first", Picture(Chart("A & B", "x", "y", x=[0], y=[0])))
    shown.add("<second>", None)
    assert list(shown.pictures) == ["first"]
    assert shown.missing == ["<second>"]
    assert 'aria-label="A &amp; B"' in html(shown)
    assert html(shown).count("<figcaption>") == 1
    assert "Not drawn yet, for lack of rows: &lt;second&gt;." in html(shown)


def test_nothing_drawn_has_no_caption():
    shown = Figure()
    shown.add("only", None)
    assert "<figure>" not in html(shown)
    assert "Not drawn yet, for lack of rows: only." in html(shown)


def test_names_of_files_are_plain():
    assert slug("DE (NLL)") == "de-nll"
    assert slug("95 % coverage: λ") == "95-coverage-λ"
