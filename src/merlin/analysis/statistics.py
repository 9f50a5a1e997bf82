"""Frames → numbers: what the tail of each run says about its variant, and about pairs of variants.

The unit of replication is the run. Two kinds of numbers stand side by side, and their names say which:

- `episode_…`: mean and standard deviation over all tail episodes of all runs together, the table of MERLIn's
  document. Episodes of one run share one trained agent, so this spread says how a variant plays, and nothing
  about how certain its mean is.
- `run_…`, `lower_95`, `upper_95`: every run is one number, the mean reward of its tail. The interval is
  Student's t interval over these numbers, and so are the tests; a single run has none.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import special

from merlin.analysis.results import RunResult

CONFIDENCE = 0.95


@dataclass(frozen=True)
class VariantStatistics:
    """One row of `reward_stats.csv`. None where there is no such number; NaN where a reward was NaN."""

    variant: str
    runs: dict[str, int]  # state -> number of runs, over all `results.STATES`
    provisional: bool  # True: no run has finished, the numbers come from unfinished ones
    run_means: tuple[float, ...]  # mean tail reward of each run used
    episodes: int  # tail episodes of the runs used
    episode_mean: float | None
    episode_std: float | None
    run_mean: float | None
    run_std: float | None
    lower: float | None
    upper: float | None
    steps_mean: float | None  # over the tail episodes
    steps_std: float | None


@dataclass(frozen=True)
class PairTest:
    """Welch's t-test between the run means of two variants. The difference is `first` minus `second`."""

    first: str
    second: str
    runs_first: int
    runs_second: int
    difference: float
    lower: float
    upper: float
    t: float
    degrees_of_freedom: float
    p: float
    p_holm: float


def used_runs(runs: Sequence[RunResult]) -> list[RunResult]:
    """The runs whose tails count: the finished ones or, while there is none, those still on their way.

    Finished and unfinished runs are never mixed, since the tail of an unfinished run is an earlier part of
    training. A failed run never counts: where it stopped is no result of the variant's.
    """
    usable = [run for run in runs if len(run.log)]
    finished = [run for run in usable if run.state == "finished"]
    return finished or [run for run in usable if run.state in ("running", "interrupted")]


def variant_statistics(variant: str, runs: Sequence[RunResult]) -> VariantStatistics:
    """Sum up all runs of one variant over the last `tail` episodes of each."""
    used = used_runs(runs)
    run_means = [_mean(run.tail_log["reward"].to_numpy()) for run in used]
    rewards = _join([run.tail_log["reward"].to_numpy() for run in used])
    steps = _join([run.tail_log["steps"].to_numpy() for run in used])
    interval = t_interval(run_means)
    return VariantStatistics(
        variant=variant,
        runs={state: sum(run.counts_as == state for run in runs) for state in RunResult.STATES},
        provisional=bool(used) and used[0].state != "finished",
        run_means=tuple(run_means),
        episodes=len(rewards),
        episode_mean=_mean(rewards) if used else None,
        episode_std=_std(rewards),
        run_mean=_mean(run_means) if used else None,
        run_std=_std(run_means),
        lower=interval[0] if interval else None,
        upper=interval[1] if interval else None,
        steps_mean=_mean(steps) if used else None,
        steps_std=_std(steps),
    )


def t_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """Student's t interval for the mean of independent values; None for fewer than two of them."""
    n = len(values)
    if n < 2:
        return None
    half = special.stdtrit(n - 1, (1 + confidence) / 2) * _std(values) / math.sqrt(n)
    return float(_mean(values) - half), float(_mean(values) + half)


def ranked(variants: Sequence[VariantStatistics]) -> list[VariantStatistics]:
    """Best first: by the lower bound of the mean reward's interval.

    A variant without an interval (one run) cannot show a lower bound, so it stands below all that have one,
    and such variants are ordered by their mean. Those with NaN, and then those with no numbers, come last.
    """

    def key(row: VariantStatistics) -> tuple[int, float, str]:
        number = row.run_mean if row.lower is None else row.lower
        if number is None:
            return 3, 0.0, row.variant
        if math.isnan(number):
            return 2, 0.0, row.variant
        return (1 if row.lower is None else 0), -number, row.variant

    return sorted(variants, key=key)


def pair_tests(variants: Sequence[VariantStatistics], confidence: float = CONFIDENCE) -> list[PairTest]:
    """Welch's t-test for every pair of variants with at least two finished runs each, in the order given.

    The p values are corrected by Holm's method over all pairs tested. A pair is left out where the test is
    undefined: a mean that is not finite, or no spread between the runs of either variant.
    """
    able = [row for row in variants if len(row.run_means) >= 2 and not row.provisional]
    able = [row for row in able if all(map(math.isfinite, row.run_means))]
    tests = []
    for first, second in combinations(able, 2):
        result = welch(first.run_means, second.run_means, confidence)
        if result is not None:
            tests.append((first, second, result))
    corrected = holm([result[-1] for _, _, result in tests])
    return [
        PairTest(first.variant, second.variant, len(first.run_means), len(second.run_means), *result, p_holm=p_holm)
        for (first, second, result), p_holm in zip(tests, corrected, strict=True)
    ]


def welch(
    first: Sequence[float], second: Sequence[float], confidence: float = CONFIDENCE
) -> tuple[float, float, float, float, float, float] | None:
    """Welch's t-test (1947), two-sided: difference of means, its interval's bounds, t, degrees of freedom, p.

    None where neither sample has any spread. Written out because importing `scipy.stats` takes a second.
    """
    n, m = len(first), len(second)
    u, v = np.var(first, ddof=1) / n, np.var(second, ddof=1) / m
    error = math.sqrt(u + v)
    if error <= 1e-12 * max(map(abs, (*first, *second))):  # equal numbers may differ in their last bits
        return None
    freedom = (u + v) ** 2 / (u**2 / (n - 1) + v**2 / (m - 1))
    difference = _mean(first) - _mean(second)
    half = special.stdtrit(freedom, (1 + confidence) / 2) * error
    t = difference / error
    p = 2 * special.stdtr(freedom, -abs(t))
    return difference, difference - float(half), difference + float(half), t, float(freedom), float(p)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction (1979) for testing several hypotheses at once; in the order given."""
    order = np.argsort(p_values, kind="stable")
    corrected = [0.0] * len(order)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * p_values[index]))
        corrected[index] = largest
    return corrected


def _mean(values: Sequence[float] | np.ndarray) -> float:
    # A reward may be infinite; its mean and spread then are too, or NaN, and that is no reason to warn.
    with np.errstate(invalid="ignore", over="ignore"):
        return float(np.mean(values))


def _std(values: Sequence[float] | np.ndarray) -> float | None:
    """Sample standard deviation; None for fewer than two values."""
    if len(values) < 2:
        return None
    with np.errstate(invalid="ignore", over="ignore"):
        return float(np.std(values, ddof=1))


def _join(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts) if parts else np.empty(0)
