import numpy as np
import pytest

from antireg.history import Epoch
from antireg.training.progress import ProgressBar


def test_a_line_per_training_shows_loss_validation_control_and_weights(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bar = ProgressBar()
    two = np.ones(2)
    for _ in range(2):
        for number in (1, 2):
            bar(
                Epoch(number, 2, 0.25 * two, 0.5 * two, 0.75 * two, 0.125 * two, "DARE")
            )
    shown = capsys.readouterr().err
    assert "fit 1 (DARE)" in shown
    assert "fit 2 (DARE): 100%" in shown
    assert "loss 0.25, validation 0.5, λ 0.75, |θ| 0.125" in shown
    assert bar.bar is None


def test_a_training_that_stopped_early_gives_way_to_the_next(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bar = ProgressBar()
    one = np.ones(1)
    for number in (1, 2, 1):
        bar(Epoch(number, 3, one, one, one, one, "MOD"))
    bar.close()
    shown = capsys.readouterr().err
    assert "fit 1 (MOD):  67%" in shown
    assert "fit 2 (MOD):  33%" in shown


def test_a_training_with_a_title_is_called_by_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bar = ProgressBar(title="left out 2 of 5")
    one = np.ones(1)
    bar(Epoch(1, 1, one, one, one, one, "DARE"))
    assert "left out 2 of 5 (DARE): 100%" in capsys.readouterr().err
