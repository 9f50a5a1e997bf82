"""Frames → learning curves: the reward of runs of any length, brought onto one grid of episodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from merlin.analysis.results import RunResult

WINDOWS = (100, 50, 20, 10, 5, 2, 1)  # episodes


@dataclass(frozen=True)
class Curve:
    """One variant's learning curve. All arrays have one number per grid point, shape [points].

    A run is present from its first episode to its last. `mean`, `low` and `high` are the mean, smallest and
    largest moving average of the runs present; `low` and `high` are NaN where fewer than two are. A window
    with a reward that is not a number makes the mean NaN there, so that the curve has a gap.
    """

    variant: str
    episode: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    count: np.ndarray  # runs present
    epsilon: np.ndarray  # mean over the runs present; NaN where none has one

    @property
    def drops(self) -> np.ndarray:
        """The indices of the last points before the number of runs becomes smaller (but not 0)."""
        return np.flatnonzero((np.diff(self.count) < 0) & (self.count[1:] > 0))


def window_of(results: Mapping[str, Sequence[RunResult]]) -> int:
    """The moving average's length in episodes, the same for all variants: about 1/20 of the longest run."""
    longest = _longest(results)
    return next((window for window in WINDOWS if 20 * window <= longest), 1)


def learning_curves(results: Mapping[str, Sequence[RunResult]], points: int) -> dict[str, Curve]:
    """The curve of every variant that has an episode, over all its runs, in whatever state they are.

    The grid is `points` episodes or fewer, spread evenly up to the longest run of all variants, and the ends
    of the variant's own runs. Between two episodes of a run its earlier value holds.
    """
    window = window_of(results)
    common = np.unique(np.linspace(1, max(1, _longest(results)), points).round())
    curves = {}
    for variant, runs in results.items():
        logs = [run.log for run in runs if len(run.log)]
        if logs:
            curves[variant] = _curve(variant, logs, common, window)
    return curves


def _curve(variant: str, logs: list, common: np.ndarray, window: int) -> Curve:
    ends = np.array([log["episode"].iloc[-1] for log in logs])
    grid = np.unique(np.concatenate([common, ends, ends + 1]))
    grid = grid[grid <= ends.max()]
    reward = np.full((len(logs), len(grid)), np.nan)
    epsilon = np.full_like(reward, np.nan)
    present = np.zeros(reward.shape, bool)
    for row, log in enumerate(logs):
        episode = log["episode"].to_numpy()
        index = np.searchsorted(episode, grid, side="right") - 1
        present[row] = (index >= 0) & (grid <= episode[-1])
        index = index[present[row]]
        reward[row, present[row]] = moving_average(log["reward"].to_numpy(), window)[index]
        epsilon[row, present[row]] = log["epsilon"].to_numpy()[index]
    count = present.sum(axis=0)
    several = count >= 2
    return Curve(
        variant=variant,
        episode=grid,
        mean=_mean(reward, present),
        low=np.where(several, np.min(reward, axis=0, initial=np.inf, where=present), np.nan),
        high=np.where(several, np.max(reward, axis=0, initial=-np.inf, where=present), np.nan),
        count=count,
        epsilon=_mean(epsilon, np.isfinite(epsilon)),
    )


def moving_average(values: np.ndarray, window: int) -> np.ndarray:
    """The mean of each value and those before it, `window` in all, fewer at the start.

    values: [n]. Returns [n]; NaN where a value in the window is not finite.
    """
    finite = np.isfinite(values)
    total = np.concatenate([[0.0], np.cumsum(np.where(finite, values, 0.0))])
    broken = np.concatenate([[0], np.cumsum(~finite)])
    end = np.arange(1, len(values) + 1)
    start = np.maximum(end - window, 0)
    average = (total[end] - total[start]) / (end - start)
    return np.where(broken[end] > broken[start], np.nan, average)


def _mean(values: np.ndarray, where: np.ndarray) -> np.ndarray:
    """The mean over axis 0 of the values chosen; NaN where none is."""
    count = where.sum(axis=0)
    return np.where(count > 0, np.where(where, values, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)


def _longest(results: Mapping[str, Sequence[RunResult]]) -> int:
    """The largest episode number of all runs; 0 if there is none."""
    ends = (run.log["episode"].iloc[-1] for runs in results.values() for run in runs if len(run.log))
    return int(max(ends, default=0))
