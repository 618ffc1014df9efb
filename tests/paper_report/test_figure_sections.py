from antireg.paper_report.figure_sections import toys, training
from antireg.paper_report.writing import EXHIBITS


def test_figures_have_a_sentence_each_and_survive_without_rows(full, empty):
    for results, captions in ((full, 7), (empty, 0)):
        exhibits = {name: draw(results) for name, draw in EXHIBITS.items()}
        html = "".join([*toys(results, exhibits), *training(exhibits)])
        assert html.count("<figcaption>") == captions
        assert html.count("<section") == 6


def test_numbers_beside_the_figures_come_from_the_rows(full):
    exhibits = {name: draw(full) for name, draw in EXHIBITS.items()}
    html = "".join(toys(full, exhibits)).replace("\N{NO-BREAK SPACE}", " ")
    assert "left 90 %, right 90 %" in html  # 0.9 of a budget of 1
    # Ten components a layer: their last 20 are all of them.
    assert "1.0 times the mean weight, and 100 % of the" in html
