import math

import pytest

from antireg.paper.experiments.printed import Printed
from antireg.paper.report.entries import (
    AUROC,
    COVERAGE,
    ECE,
    NLL,
    Entry,
    best,
    number,
    percent,
    signed,
    spread,
)


def test_mean_and_sd_are_those_of_a_sample():
    entry = Entry(NLL, [1.0, 2.0, 4.0], Printed(2.0, 0.5))
    assert entry.mean == pytest.approx(7 / 3)
    assert entry.sd == pytest.approx(math.sqrt(14 / 6))  # 42/9 over n − 1 = 2
    assert entry.text == "2.33 (1.53)"
    assert entry.printed_text == "2.00 (0.50)"
    assert entry.difference == pytest.approx(2 / 3)  # a third, in halves
    assert entry.difference_text == "+0.7\N{NO-BREAK SPACE}sd"


def test_one_seed_has_no_sd_and_none_has_no_number():
    assert Entry(NLL, [1.5]).text == "1.50"
    assert math.isnan(Entry(NLL, [1.5]).sd)
    assert Entry(NLL, []).text == "missing"
    assert Entry(NLL, [], diverged=2).text == "diverged"
    assert Entry(NLL, [], Printed(1, 1)).difference is None
    assert Entry(NLL, [], Printed(1, 1)).agrees is None
    assert Entry(NLL, [1.5]).agrees is None


def test_too_few_seeds_are_counted():
    assert Entry(NLL, [1.0], wanted=5).few == "1 seed"
    assert Entry(NLL, [1.0, 2.0], wanted=5).few == "2 seeds"
    assert Entry(NLL, [1.0, 2.0], wanted=2).few == ""
    assert Entry(NLL, [], wanted=2).few == ""


def test_agreement_is_two_sds_or_a_small_difference():
    assert Entry(ECE, [0.32], Printed(0.28, 0.02)).agrees
    assert not Entry(ECE, [0.33], Printed(0.28, 0.02)).agrees
    assert Entry(NLL, [1.09], Printed(1.0, 0.02)).agrees  # 0.1 NLL though 4.5 sds
    assert not Entry(NLL, [1.11], Printed(1.0, 0.02)).agrees
    assert Entry(AUROC, [90.5], Printed(92.0, 0.0)).agrees
    assert Entry(AUROC, [90.5], Printed(92.0, 0.0)).difference is None
    assert not Entry(AUROC, [90.4], Printed(92.0, 0.0)).agrees


def test_best_is_low_high_or_near_the_ideal_and_ties_share():
    def found(kind, *values):
        return best({str(v): Entry(kind, [v]) for v in values})

    assert found(NLL, -1.0, 0.5, 2.0) == {"-1.0"}
    assert found(AUROC, 90.0, 91.0) == {"91.0"}
    assert found(AUROC, 90.96, 91.0) == {"90.96", "91.0"}
    assert found(COVERAGE, 90.0, 97.0, 100.0) == {"97.0"}
    assert best({"a": Entry(NLL, []), "b": Entry(NLL, [3.0])}) == {"b"}
    assert best({"a": Entry(NLL, [])}) == set()


def test_numbers_are_written_as_people_do():
    assert number(-1.234, 2) == "−1.23"
    assert number(1234.5, 2) == "1,234"
    assert number(12_300_000.0, 2) == "1.2·10⁷"
    assert number(math.inf, 2) == "inf"
    assert spread(2.0, 0.126, 2) == "2.00 (0.13)"
    assert signed(-0.04) == "0.0"
    assert signed(-2.25) == "−2.2"
    assert signed(12345.0) == "+12,345"
    assert percent(0.316) == "32\N{NO-BREAK SPACE}%"
