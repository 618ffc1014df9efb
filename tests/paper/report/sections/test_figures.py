from antireg.paper.report.figures.figure import Figure
from antireg.paper.report.sections.figures import toys, training
from antireg.paper.report.writing import FIGURES
from antireg.report.pictures import Picture

DRAWN = {name: Figure({name: Picture()}) for name in FIGURES}
NOT_DRAWN = {name: Figure(missing=[name]) for name in FIGURES}


def test_figures_have_a_sentence_each_and_survive_without_rows(full, empty):
    for results, figures, captions in ((full, DRAWN, 7), (empty, NOT_DRAWN, 0)):
        html = "".join([*toys(results, figures), *training(results, figures)])
        assert html.count("<figcaption>") == captions
        assert html.count("<section") == 6


def test_numbers_beside_the_figures_come_from_the_rows(full):
    html = "".join(toys(full, DRAWN)).replace("\N{NO-BREAK SPACE}", " ")
    assert "left 90 %, right 90 %" in html  # 0.9 of a budget of 1
    # Ten components a layer: their last 20 are all of them.
    assert "1.0 times the mean weight and 100 % of the" in html


def test_the_end_of_the_controlled_training_is_said(full, empty):
    text = training(full, DRAWN)[0].replace("\N{NO-BREAK SPACE}", " ")
    # The made-up loss ends at 1, under any τ of theirs, and λ too.
    assert "the mean loss is 1.00" in text
    assert "λ is on for 100 % of the batches" in text
    assert "come back" not in text
    assert "No rows yet." in training(empty, NOT_DRAWN)[0]
