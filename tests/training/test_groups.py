"""The model alone decides which members are stacked."""

import pytest

from antireg.training.groups import LARGE_STEP, groups

LARGE = (2**15, LARGE_STEP // 2**15)
SMALL = (2**15 - 1, LARGE_STEP // 2**15)


def test_groups_of_large_steps_are_small() -> None:
    assert groups(5, *LARGE) == [range(3), range(3, 5)]
    assert groups(3, *LARGE) == [range(3)]
    assert groups(4, *LARGE) == [range(2), range(2, 4)]


def test_small_steps_stay_whole_up_to_twenty_members() -> None:
    assert groups(5, *SMALL) == [range(5)]
    assert groups(20, *SMALL) == [range(20)]
    assert groups(21, *SMALL) == [range(11), range(11, 21)]


@pytest.mark.parametrize("step", [SMALL, LARGE])
def test_every_member_is_in_one_group_and_groups_are_even(step) -> None:
    for n_members in range(1, 70):
        found = groups(n_members, *step)
        assert [m for members in found for m in members] == list(range(n_members))
        sizes = [len(members) for members in found]
        assert max(sizes) - min(sizes) <= 1
        assert sizes == sorted(sizes, reverse=True)
