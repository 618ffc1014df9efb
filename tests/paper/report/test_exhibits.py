from antireg.paper import figures
from antireg.paper.report.exhibits import Exhibit, slug


def test_what_cannot_be_drawn_is_named():
    shown = Exhibit()
    shown.add("first", figures.new_figure(1, 1))
    shown.add("second", None)
    assert list(shown.pictures) == ["first"]
    assert shown.missing == ["second"]
    html = shown.html("Look & see")
    assert 'alt="first"' in html
    assert "<figcaption>Look &amp; see</figcaption>" in html
    assert "Not drawn, for want of rows: second." in html


def test_nothing_drawn_has_no_caption():
    shown = Exhibit()
    shown.add("only", None)
    assert shown.html("Look") == (
        '<p class="note">Not drawn, for want of rows: only.</p>\n'
    )


def test_names_of_files_are_plain():
    assert slug("DE (NLL)") == "de-nll"
    assert slug("95 % coverage: λ") == "95-coverage-λ"
