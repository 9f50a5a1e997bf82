"""The analysis of a results folder from end to end: read, compute, write files, and say it in words."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from merlin.analysis import figure_style
from merlin.analysis.curves import learning_curves, window_of
from merlin.analysis.distribution_plot import distribution_figure
from merlin.analysis.findings import verdicts, warnings_about
from merlin.analysis.results import RunResult, find_experiments, read_experiment
from merlin.analysis.reward_plot import reward_figure
from merlin.analysis.statistics import (
    PairTest,
    VariantStatistics,
    pair_tests,
    ranked,
    used_runs,
    variant_statistics,
)
from merlin.analysis.table import pairs_csv, stats_csv, variant_table
from merlin.errors import MerlinError
from merlin.run_folder import explain, write_atomically

CURVE_POINTS = 6400  # of all variants together: the SVG stays well below 1 MB


@dataclass(frozen=True)
class ExperimentSummary:
    """What the analysis of one experiment found. Its text is a table with remarks below."""

    folder: Path
    variants: list[VariantStatistics]  # best first
    pairs: list[PairTest]
    tails: tuple[int, int]  # the shortest and longest tail asked for, in episodes
    warnings: list[str]
    written: list[Path]

    def __str__(self) -> str:
        lines = [
            f"{self.folder}: the last {tail_text(self.tails)} episodes of each run, all where it has fewer",
            "",
            variant_table(self.variants),
            "",
            "reward: mean over runs; lower, upper: its 95 % t interval over runs; std: over episodes.",
            self._order(),
            *verdicts(self.pairs),
            *(f"warning: {warning}" for warning in self.warnings),
            f"written: {', '.join(path.name for path in self.written)} in {self.written[0].parent}",
        ]
        return "\n".join(lines)

    def _order(self) -> str:
        with_interval = [row.lower is not None for row in self.variants if row.run_mean is not None]
        if all(with_interval):
            return "Ranked by the lower bound."
        if any(with_interval):
            return "Ranked by the lower bound. Variants of one run have none and stand below, ranked by reward."
        return "Ranked by reward, since no variant has the two runs that an interval needs."


@dataclass(frozen=True)
class AnalysisSummary:
    """What the analysis of a folder found, by experiment."""

    experiments: list[ExperimentSummary]

    @property
    def written(self) -> list[Path]:
        return [path for experiment in self.experiments for path in experiment.written]

    @property
    def warnings(self) -> list[str]:
        return [warning for experiment in self.experiments for warning in experiment.warnings]

    def __str__(self) -> str:
        return "\n\n\n".join(map(str, self.experiments))


def analyze(path: str | os.PathLike[str]) -> AnalysisSummary:
    """Analyse the experiments that a folder holds, or the one it is a part of: write tables and plots.

    path: the folder of several experiments, of one, of a variant or of a run.
    Writes `<experiment>/analysis/`: reward_stats.csv, pairwise.csv, reward and reward_dist as .svg and .png.
    Each file appears whole or not at all. Runs may be training meanwhile.
    Raises InputError where there is no run to analyse, MerlinError where a folder cannot be read or written.
    """
    path = Path(path)
    try:
        experiments = find_experiments(path)
    except OSError as error:
        raise MerlinError(f"cannot read {error.filename or path}: {error.strerror}") from None
    return AnalysisSummary([analyze_experiment(experiment) for experiment in experiments])


def analyze_experiment(folder: Path) -> ExperimentSummary:
    """As `analyze`, for the folder of one experiment."""
    try:
        results = read_experiment(folder)
    except OSError as error:
        raise MerlinError(f"cannot read {error.filename or folder}: {error.strerror}") from None
    variants = ranked([variant_statistics(variant, runs) for variant, runs in results.items()])
    pairs = pair_tests(variants)
    tails = [run.tail for runs in results.values() for run in runs]
    shortest_longest = min(tails), max(tails)
    target = folder / "analysis"
    try:
        target.mkdir(exist_ok=True)
        written = [target / "reward_stats.csv", target / "pairwise.csv"]
        write_atomically(written[0], stats_csv(variants).encode())
        write_atomically(written[1], pairs_csv(pairs).encode())
        written += _draw(folder.resolve().name, target, results, variants, tail_text(shortest_longest))
    except OSError as error:
        raise explain(error, Path(error.filename or target)) from None
    return ExperimentSummary(folder, variants, pairs, shortest_longest, warnings_about(results, variants), written)


def tail_text(shortest_longest: tuple[int, int]) -> str:
    """`2,000`, or `300 to 2,000`."""
    return " to ".join(f"{tail:,}" for tail in sorted(set(shortest_longest)))


def _draw(
    name: str,
    target: Path,
    results: Mapping[str, Sequence[RunResult]],
    variants: Sequence[VariantStatistics],
    tail: str,
) -> list[Path]:
    points = int(np.clip(CURVE_POINTS // len(results), 60, 600))
    curves = learning_curves(results, points)
    in_order = [curves[row.variant] for row in variants if row.variant in curves]
    rewards = {
        variant: np.concatenate([np.empty(0), *(run.tail_log["reward"].to_numpy() for run in used_runs(runs))])
        for variant, runs in results.items()
    }
    with figure_style.style():
        reward = reward_figure(name, in_order, window_of(results))
        distribution = distribution_figure(name, variants, rewards, tail)
        return [
            *figure_style.save(reward, target / "reward"),
            *figure_style.save(distribution, target / "reward_dist"),
        ]
