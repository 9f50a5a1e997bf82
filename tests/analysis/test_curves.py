"""Frames → learning curves: moving averages, the common grid, and where runs end."""

from pathlib import Path

import numpy as np
import pytest

from merlin.analysis.curves import learning_curves, moving_average, window_of
from merlin.analysis.results import read_experiment
from tests.analysis.folders import log_text, write_run


@pytest.mark.parametrize("window", [1, 3, 50])
def test_the_moving_average_is_that_of_a_loop(window: int):
    values = np.random.default_rng(0).normal(size=20)
    expected = [np.mean(values[max(0, end - window) : end]) for end in range(1, 21)]
    np.testing.assert_allclose(moving_average(values, window), expected)


def test_what_is_not_finite_is_a_gap_as_long_as_the_window():
    values = np.array([1, 2, np.nan, 4, 5, np.inf, 7])
    np.testing.assert_array_equal(moving_average(values, 2), [1, 1.5, np.nan, np.nan, 4.5, np.nan, np.nan])


def test_runs_of_unequal_length_are_averaged_where_they_are(tmp_path: Path):
    write_run(tmp_path, "a", 0, [0, 0, 0, 0])
    write_run(tmp_path, "a", 1, [6, 6])
    curve = learning_curves(read_experiment(tmp_path), 10)["a"]
    np.testing.assert_array_equal(curve.episode, [1, 2, 3, 4])
    np.testing.assert_array_equal(curve.count, [2, 2, 1, 1])
    np.testing.assert_array_equal(curve.mean, [3, 3, 0, 0])
    np.testing.assert_array_equal(curve.low, [0, 0, np.nan, np.nan])
    np.testing.assert_array_equal(curve.high, [6, 6, np.nan, np.nan])
    np.testing.assert_array_equal(curve.drops, [1])


def test_a_failed_run_is_drawn_as_far_as_it_came_and_never_as_zero(tmp_path: Path):
    write_run(tmp_path, "a", 0, [5, 5, 5])
    write_run(tmp_path, "a", 1, [7], "failed")
    write_run(tmp_path, "a", 2, None, "failed")
    write_run(tmp_path, "b", 0, [], "failed")
    curves = learning_curves(read_experiment(tmp_path), 10)
    assert list(curves) == ["a"]
    np.testing.assert_array_equal(curves["a"].mean, [6, 5, 5])


def test_a_long_log_is_thinned_and_keeps_the_ends_of_its_runs(tmp_path: Path):
    write_run(tmp_path, "a", 0, range(1, 1001))
    write_run(tmp_path, "a", 1, range(1, 778))
    results = read_experiment(tmp_path)
    curve = learning_curves(results, 11)["a"]
    assert window_of(results) == 50
    assert len(curve.episode) <= 13
    assert {777, 778, 1000} <= set(curve.episode)
    at = list(curve.episode).index(1000)
    assert curve.mean[at] == pytest.approx(np.mean(np.arange(951, 1001)))
    assert curve.count[list(curve.episode).index(777)] == 2
    assert curve.count[list(curve.episode).index(778)] == 1


def test_a_nan_reward_is_a_gap_in_the_mean(tmp_path: Path):
    write_run(tmp_path, "a", 0, [1, "nan", 1])
    write_run(tmp_path, "a", 1, [3, 3, 3])
    curve = learning_curves(read_experiment(tmp_path), 10)["a"]
    np.testing.assert_array_equal(curve.mean, [2, np.nan, 2])


def test_epsilon_is_the_mean_of_the_runs_that_have_one(tmp_path: Path):
    write_run(tmp_path, "a", 0, [1, 1], epsilons=[1, 0.5])
    write_run(tmp_path, "a", 1, [1, 1], epsilons=[1, ""])
    write_run(tmp_path, "walker", 0, [1, 1], epsilons=["", ""])
    curves = learning_curves(read_experiment(tmp_path), 10)
    np.testing.assert_array_equal(curves["a"].epsilon, [1, 0.5])
    assert np.isnan(curves["walker"].epsilon).all()


def test_between_two_episodes_the_earlier_value_holds(tmp_path: Path):
    text = log_text([1, 2]).replace("\n2,", "\n5,")
    write_run(tmp_path, "a", 0, log=text)
    write_run(tmp_path, "b", 0, [0] * 5)
    curve = learning_curves(read_experiment(tmp_path), 10)["a"]
    np.testing.assert_array_equal(curve.mean, [1, 1, 1, 1, 2])


@pytest.mark.parametrize(("episodes", "window"), [(1, 1), (39, 1), (40, 2), (300, 10), (5000, 100)])
def test_the_window_grows_with_the_longest_run(tmp_path: Path, episodes: int, window: int):
    write_run(tmp_path, "a", 0, [0] * episodes)
    write_run(tmp_path, "b", 0, [])
    assert window_of(read_experiment(tmp_path)) == window
