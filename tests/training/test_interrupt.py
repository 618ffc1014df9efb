import signal
from collections.abc import Iterator

import numpy as np
import pytest

from antireg import EnsembleRegressor
from antireg.history import Epoch
from antireg.training.interrupt import StopOnInterrupt
from tests.small_tables import QUICK, table, unfinished_is_fine

pytestmark = unfinished_is_fine


def test_ctrl_c_ends_the_training_and_keeps_the_model() -> None:
    X, y = table()

    def press(epoch: Epoch) -> None:
        if epoch.number == 5:
            signal.raise_signal(signal.SIGINT)

    settings = {**QUICK, "epochs": 10_000}
    with StopOnInterrupt() as stop:
        model = EnsembleRegressor("deep_ensemble", callbacks=[press, stop], **settings)
        model.fit(X, y)
    assert model.history_.n_epochs in (5, 6)
    assert np.isfinite(model.predict(X)).all()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C as at a terminal; in the background it may be ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_the_second_ctrl_c_interrupts_and_the_handler_is_given_back() -> None:
    with pytest.raises(KeyboardInterrupt), StopOnInterrupt() as stop:
        signal.raise_signal(signal.SIGINT)
        assert stop.asked
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
