import re

from antireg.paper_report.finding_sections import agreement, degenerate, lost, traps
from antireg.paper_report.results import Results
from tests.paper_report.made_rows import made_book


def words(html):
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def test_agreement_counts_and_explains_what_is_outside(full, empty):
    text = words(agreement(full))
    counts = re.search(r"Of 30 comparisons, (\d+) .* sds, (\d+) are not, 0 have", text)
    assert int(counts[1]) + int(counts[2]) == 30
    assert text.count("not within") == int(counts[2])
    assert "0 are not, 30 have no rows yet" in words(agreement(empty))


def test_losses_are_listed_or_there_are_none_so_far(full, empty):
    assert "Table 2, NLL : " in words(lost(full))  # as in the paper, it costs inside
    assert "None so far." in words(lost(empty))


def test_degenerate_compares_with_a_constant(full, empty):
    assert words(degenerate(full)).count("the constant by") == 3
    assert words(degenerate(empty)).count("missing") == 7 * 3 + 3


def test_traps_show_both_readings_and_the_validation_rows(full, empty, tmp_path):
    text = words(traps(full))
    # Made-up rows are near the paper's, so as printed is nearer but for chance.
    found = re.search(r"Swapped is nearer for (\d) of 7 methods", text)
    assert int(found[1]) <= 1
    assert "1000 of the 10,000 test pictures" in text
    assert words(traps(empty)).count("No rows yet.") == 2
    some = Results(made_book(tmp_path, "cifar10", seeds=1))
    assert words(traps(some)).count("No rows yet.") == 1
