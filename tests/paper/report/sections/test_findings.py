import re

from antireg.paper.report.sections.findings import agreement, degenerate, lost


def words(html):
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def test_agreement_counts_and_explains_what_is_apart(full, empty):
    text = words(agreement(full))
    counts = re.search(r"36 comparisons: (\d+) agree, (\d+) do not, 0 have", text)
    assert int(counts[1]) + int(counts[2]) == 36
    assert text.count("sd, within") + text.count("sd, near") == int(counts[1])
    assert text.count("sd, apart") == int(counts[2])
    assert "0 do not, 36 have no rows yet" in words(agreement(empty))


def test_losses_are_listed_or_there_are_none_so_far(full, empty):
    assert "Table 2, NLL : " in words(lost(full))  # as in the paper, it costs inside
    assert "None so far." in words(lost(empty))


def test_degenerate_compares_with_a_constant(full, empty):
    assert words(degenerate(full)).count("% of the constant") == 3
    assert words(degenerate(empty)).count("missing") == 7 * 3 + 3
