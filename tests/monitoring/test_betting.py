import numpy as np
import pytest

from antireg.monitoring.betting import MOST, N_BETS, Bets, factors, kept


def test_no_bet_wins_on_average_if_p_values_are_uniform():
    # Steps of p = q^10, in which even the steepest bet is even.
    edges = np.linspace(0, 1, 200_001) ** 10
    p, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    means = (factors(p) * width[:, None]).sum(axis=0)
    np.testing.assert_allclose(means, 1, atol=0.02)
    assert means.shape == (N_BETS,)


def test_bets_are_worth_what_the_formulas_say():
    inside, outside = factors(np.array([0.05, 0.7]))
    # q = 0.5, κ = 0.5, T = 0.2:  2.5 · 0.5 · 0.25^(−0.5) = 2.5,  0.5 / 0.8 = 0.625
    assert inside[4] == pytest.approx(2.5)
    assert outside[4] == pytest.approx(0.625)
    assert factors(np.array([0.21]))[0].tolist() == outside.tolist()
    assert np.isfinite(factors(np.array([0.0, 1.0]))).all()


def test_the_money_after_one_row_by_hand():
    bets = Bets()
    assert bets.evidence == 1
    bets.add(np.full(N_BETS, 2.0))
    left = 1 / (1 + np.log(1.1))
    assert kept(1) == pytest.approx(left)
    assert bets.evidence == pytest.approx(left + 2 * (1 - left))


def test_fair_bets_keep_the_money():
    bets = Bets()
    for _ in range(1000):
        bets.add(np.ones(N_BETS))
    assert bets.evidence == pytest.approx(1)


def test_money_stays_a_number_however_long_drift_lasts():
    bets = Bets()
    for _ in range(2000):
        bets.add(np.full(N_BETS, 10.0))
    assert bets.evidence == MOST
    assert np.isfinite(bets.gain).all()


def test_drift_began_where_a_bet_last_had_won_nothing():
    bets = Bets()
    lost, won = np.full(N_BETS, 0.5), np.full(N_BETS, 3.0)
    for _ in range(10):
        assert bets.add(lost).all()
    assert not bets.add(won).any()
    assert bets.since.tolist() == [11] * N_BETS


def alarm(p, level=0.01):
    bets = Bets()
    for number, row in enumerate(factors(p), 1):
        bets.add(row)
        if bets.evidence >= 1 / level:
            return number
    return None


def test_familiar_streams_raise_few_false_alarms():
    rng = np.random.default_rng(0)
    found = [alarm(rng.random(2000), level=0.1) for _ in range(100)]
    # At most 10 of 100 are expected, with a deviation of 3 if it were as many.
    assert sum(row is not None for row in found) <= 10 + 4 * 3


@pytest.mark.parametrize("start", [0, 5000])
def test_drift_is_found_soon_whenever_it_begins(start):
    rng = np.random.default_rng(1)
    p = np.concatenate([rng.random(start), rng.random(300) ** 3])
    assert start < alarm(p) <= start + 100


def test_what_is_won_beyond_every_number_is_the_most():
    bets = Bets(capital=[MOST] * N_BETS)
    bets.add(np.full(N_BETS, 1e9))  # with warnings as errors
    assert bets.capital.tolist() == [MOST] * N_BETS
