"""Frames → numbers: equal to literals worked out by hand, and to scipy's own tests."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from merlin.analysis.results import RunResult, read_experiment
from merlin.analysis.statistics import (
    VariantStatistics,
    holm,
    pair_tests,
    ranked,
    t_interval,
    used_runs,
    variant_statistics,
    welch,
)
from tests.analysis.folders import write_run


def one_variant(folder: Path) -> VariantStatistics:
    [(variant, runs)] = read_experiment(folder).items()
    return variant_statistics(variant, runs)


def row(variant: str, *means: float, provisional: bool = False) -> VariantStatistics:
    interval = t_interval(means) or (None, None)
    mean = float(np.mean(means)) if means else None
    runs = dict.fromkeys(RunResult.STATES, 0)
    return VariantStatistics(variant, runs, provisional, means, 1, mean, None, mean, None, *interval, None, None)


def test_numbers_of_two_runs_are_those_worked_out_by_hand(tmp_path: Path):
    write_run(tmp_path, "a", 0, [100, 1, 3], steps=[9, 2, 4], tail=2)
    write_run(tmp_path, "a", 1, [4, 8], steps=[6, 8], tail=2)
    found = one_variant(tmp_path)
    assert found.run_means == (2.0, 6.0)
    assert found.episodes == 4
    assert found.episode_mean == 4.0
    assert found.episode_std == pytest.approx(math.sqrt((9 + 1 + 0 + 16) / 3))
    assert found.run_mean == 4.0
    assert found.run_std == pytest.approx(math.sqrt(8))
    assert found.lower == pytest.approx(4 - 12.7062047 * 2)  # t with one degree of freedom, standard error 2
    assert found.upper == pytest.approx(4 + 12.7062047 * 2)
    assert found.steps_mean == 5.0
    assert found.steps_std == pytest.approx(math.sqrt((9 + 1 + 1 + 9) / 3))
    assert found.runs == {"finished": 2, "running": 0, "interrupted": 0, "failed": 0, "missing": 0}


def test_runs_weigh_the_same_however_long_they_are(tmp_path: Path):
    write_run(tmp_path, "a", 0, [0] * 30)
    write_run(tmp_path, "a", 1, [10] * 10)
    found = one_variant(tmp_path)
    assert found.run_mean == 5.0
    assert found.episode_mean == 2.5


def test_one_run_has_a_mean_and_no_interval(tmp_path: Path):
    write_run(tmp_path, "a", 0, [1, 2, 6])
    found = one_variant(tmp_path)
    assert (found.run_mean, found.run_std, found.lower, found.upper) == (3.0, None, None, None)
    assert found.episode_std == pytest.approx(np.std([1, 2, 6], ddof=1))


def test_one_episode_has_no_spread(tmp_path: Path):
    write_run(tmp_path, "a", 0, [7])
    found = one_variant(tmp_path)
    assert (found.episode_mean, found.episode_std, found.steps_mean, found.steps_std) == (
        7.0,
        None,
        10.0,
        None,
    )


def test_failed_missing_and_unfinished_runs_change_no_number(tmp_path: Path):
    write_run(tmp_path / "clean", "a", 0, [1, 2])
    write_run(tmp_path / "clean", "a", 1, [3, 4])
    for run, rewards in enumerate(([1, 2], [3, 4])):
        write_run(tmp_path / "mixed", "a", run, rewards)
    write_run(tmp_path / "mixed", "a", 2, [-50], "failed")
    write_run(tmp_path / "mixed", "a", 3, None, "failed")
    write_run(tmp_path / "mixed", "a", 4, [-60], "interrupted")
    write_run(tmp_path / "mixed", "a", 5, [], "finished")
    write_run(tmp_path / "mixed", "a", 6, None, None)
    clean, mixed = one_variant(tmp_path / "clean"), one_variant(tmp_path / "mixed")
    assert mixed.runs == {"finished": 2, "running": 0, "interrupted": 1, "failed": 2, "missing": 2}
    for name in ("run_means", "episodes", "episode_mean", "episode_std", "lower", "upper", "steps_mean"):
        assert getattr(mixed, name) == getattr(clean, name)


def test_a_variant_that_only_failed_has_no_numbers(tmp_path: Path):
    write_run(tmp_path, "a", 0, [0.0], "failed")
    found = one_variant(tmp_path)
    assert (found.run_means, found.episodes, found.episode_mean, found.run_mean) == ((), 0, None, None)
    assert (found.steps_mean, found.lower, found.provisional) == (None, None, False)


def test_unfinished_runs_count_while_none_has_finished(tmp_path: Path):
    write_run(tmp_path, "a", 0, [1, 2], "interrupted")
    write_run(tmp_path, "a", 1, [5, 6], "interrupted")
    found = one_variant(tmp_path)
    assert found.provisional
    assert found.run_means == (1.5, 5.5)
    assert len(used_runs(read_experiment(tmp_path)["a"])) == 2


@pytest.mark.parametrize("bad", ["nan", "inf", ""])
def test_a_reward_that_is_no_number_stays_visible(tmp_path: Path, bad: str):
    write_run(tmp_path, "a", 0, [1, bad, 3])
    write_run(tmp_path, "a", 1, [1, 2, 3])
    found = one_variant(tmp_path)
    for number in (found.episode_mean, found.run_mean):
        assert number is not None
        assert not math.isfinite(number)
    assert found.episodes == 6
    assert found.steps_mean == 10.0


@pytest.mark.parametrize("n", [2, 3, 10])
def test_the_interval_is_scipys(n: int):
    values = np.random.default_rng(n).normal(3, 2, n).tolist()
    expected = stats.t.interval(0.95, n - 1, np.mean(values), stats.sem(values))
    assert t_interval(values) == pytest.approx(expected)


def test_an_interval_of_equal_runs_is_a_point():
    assert t_interval([5.0, 5.0, 5.0]) == (5.0, 5.0)
    assert t_interval([5.0]) is None
    assert t_interval([]) is None


@pytest.mark.parametrize(("n", "m"), [(2, 2), (3, 5), (10, 4)])
def test_welchs_test_is_scipys(n: int, m: int):
    rng = np.random.default_rng(n)
    first, second = rng.normal(0, 1, n).tolist(), rng.normal(1, 3, m).tolist()
    expected = stats.ttest_ind(first, second, equal_var=False)
    interval = expected.confidence_interval(0.95)
    result = welch(first, second)
    assert result == pytest.approx(
        (np.mean(first) - np.mean(second), *interval, expected.statistic, expected.df, expected.pvalue)
    )


def test_welchs_test_is_undefined_without_any_spread():
    assert welch([1, 1], [2, 2]) is None
    assert welch([0.1 * 3] * 3, [0.3, 0.3]) is None  # equal but for their last bit
    assert welch([1, 1], [2, 3]) is not None


def test_holm_is_that_of_the_textbook():
    # 0.01 × 4, 0.02 × 3, then 0.03 × 2 and 0.05 × 1, neither below the one before.
    assert holm([0.02, 0.05, 0.01, 0.03]) == pytest.approx([0.06, 0.06, 0.04, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_pairs_need_two_finished_runs_each():
    rows = [
        row("a", 1.0, 2.0),
        row("b", 5.0, 7.0),
        row("one", 3.0),
        row("none"),
        row("nan", math.nan, 1.0),
        row("early", 8.0, 9.0, provisional=True),
    ]
    [pair] = pair_tests(rows)
    assert (pair.first, pair.second, pair.runs_first, pair.runs_second, pair.difference) == (
        "a",
        "b",
        2,
        2,
        -4.5,
    )
    assert pair.p == pair.p_holm == pytest.approx(stats.ttest_ind([1, 2], [5, 7], equal_var=False).pvalue)


def test_all_pairs_are_corrected_together():
    rng = np.random.default_rng(0)
    rows = [row(name, *rng.normal(place, 1, 4)) for place, name in enumerate("abc")]
    pairs = pair_tests(rows)
    assert [(pair.first, pair.second) for pair in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [pair.p_holm for pair in pairs] == holm([pair.p for pair in pairs])


def test_ranking_is_by_lower_bound_then_mean_then_nothing():
    sure, wide = row("sure", 4.9, 5.0, 5.1), row("wide", 0.0, 20.0)
    rows = [row("none"), row("nan", math.nan), row("one", 99.0), wide, row("two", 100.0), sure]
    assert [found.variant for found in ranked(rows)] == ["sure", "wide", "two", "one", "nan", "none"]
