import numpy as np

from antireg.history import History


def test_kept_validation_loss_is_that_of_each_members_epoch() -> None:
    validation = np.array([[3.0, 5.0], [2.0, 6.0], [4.0, 1.0]])
    history = History(
        validation, validation, validation, validation, np.array([2, 3]), 0.0
    )
    assert history.kept_validation_loss.tolist() == [2.0, 1.0]
    assert history.n_epochs == 3
