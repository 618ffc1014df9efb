import numpy as np

from antireg.estimators.left_out import LeftOut


def test_scores_are_raised_by_what_leaving_out_does_beyond_the_level():
    """Without its part a training scores 3·4 as high there, and 3 times elsewhere."""
    fit = np.array([[[1.0], [2.0], [3.0], [4.0]]])
    trained = np.array([False, True, True, True])
    other = fit * np.array([[7.0], [12.0], [3.0], [3.0]])
    said = LeftOut(fit, trained, [np.array([1])], [other])
    scores = said.raised_scores(lambda outputs: outputs[0, :, 0])
    np.testing.assert_allclose(scores, [1, 8, 12, 16], rtol=1e-12)
    np.testing.assert_array_equal(said.places, [True, True, False, False])
    np.testing.assert_array_equal(said.unseen, [[[1.0], [24.0]]])


def test_scores_of_rows_left_out_are_brought_to_the_level_of_the_fit():
    """Of the rows both know it says 6 and 8 more: 7 less than 24 are 17."""
    fit = np.array([[[1.0], [2.0], [3.0], [4.0]]])
    trained = np.array([False, True, True, True])
    other = np.array([[[50.0], [24.0], [9.0], [12.0]]])
    said = LeftOut(fit, trained, [np.array([1])], [other])
    scores = said.levelled_scores(lambda outputs: outputs[0, :, 0])
    np.testing.assert_allclose(scores, [1, 17], rtol=1e-12)


def test_near_the_most_it_is_the_distance_to_it_that_is_levelled():
    """Of the rows both know it is half as far from 10: 6 and 9.9 are 4 and 0.1 away,
    so 8 and 0.2 at the level of the fit."""
    fit = np.array([[[1.0], [2.0], [2.0], [5.0], [8.0]]])
    trained = np.array([False, True, True, True, True])
    other = np.array([[[0.0], [6.0], [9.9], [7.5], [9.0]]])
    said = LeftOut(fit, trained, [np.array([1, 2])], [other])
    scores = said.levelled_scores(lambda outputs: outputs[0, :, 0], most=10.0)
    np.testing.assert_allclose(scores, [1, 2, 9.8], rtol=1e-12)
