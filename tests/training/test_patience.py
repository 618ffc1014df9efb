import pytest

from antireg.training.patience import patience_of


@pytest.mark.parametrize(
    ("per_epoch", "epochs"),
    [(1, 400), (15, 27), (133, 4), (134, 3), (1000, 3)],  # 27 · 15 ≥ 400 > 26 · 15
)
def test_auto_makes_up_enough_steps_in_whole_epochs(per_epoch, epochs):
    assert patience_of("auto", per_epoch) == epochs


def test_a_number_is_epochs_and_none_is_without_end():
    assert patience_of(7, per_epoch=100) == 7
    assert patience_of(None, per_epoch=100) is None
