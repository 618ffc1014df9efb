import numpy as np

from antireg.tables.calendar import cycle_names, cycles, shown


def test_points_in_time_are_shown_as_people_write_them():
    assert shown(19_727.0, clock=False) == "2024-01-05"
    assert shown(19_727.5, clock=True) == "2024-01-05 12:00"


def test_cycles_match_hand_values():
    # Half a week and a quarter of a day after a Thursday midnight; and a whole year.
    found = cycles(np.array([3.5, 0.25, 365.2425]), clock=True)
    assert cycle_names(clock=True)[2:] == [
        *(
            "sine of the week",
            "cosine of the week",
            "sine of the day",
            "cosine of the day",
        )
    ]
    np.testing.assert_allclose(found[0, 2:4], [0, -1], atol=1e-12)
    np.testing.assert_allclose(found[1, 4:], [1, 0], atol=1e-12)
    np.testing.assert_allclose(found[2, :2], [0, 1], atol=1e-9)
    assert cycles(np.array([0.0]), clock=False).shape == (1, len(cycle_names(False)))
