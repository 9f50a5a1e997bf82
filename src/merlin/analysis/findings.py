"""What stands behind the numbers and what is missing from them, in words."""

from collections.abc import Mapping, Sequence

import numpy as np

from merlin.analysis.results import RunResult
from merlin.analysis.statistics import PairTest, VariantStatistics, used_runs

FEW_RUNS = 5


def warnings_about(results: Mapping[str, Sequence[RunResult]], variants: Sequence[VariantStatistics]) -> list[str]:
    """One line for each thing that a reader of the table should know, in the order of `variants`."""
    lines = []
    for row in variants:
        runs = results[row.variant]
        lines += _about_states(row, runs)
        lines += [f"{row.variant}, run {run.run}: {run.problem}" for run in runs if run.problem]
        lines += _about_rewards(row.variant, runs)
        lines += _about_lengths(row.variant, runs)
    counts = {len(row.run_means) for row in variants if row.run_means}
    if 1 in counts:
        lines.append("A variant with one run has no interval: a second run may give quite another mean.")
    if any(1 < count < FEW_RUNS for count in counts):
        lines.append(
            f"Fewer than {FEW_RUNS} runs give wide intervals and weak tests: two variants that do not differ "
            "here need not be equal."
        )
    return lines


def _about_states(row: VariantStatistics, runs: Sequence[RunResult]) -> list[str]:
    lines = []
    if row.provisional:
        lines.append(f"{row.variant}: no run has finished; its numbers are those of unfinished runs so far.")
    elif not row.run_means:
        lines.append(f"{row.variant}: no run with results, so it has no numbers.")
    by_state = {state: [run for run in runs if run.counts_as == state] for state in RunResult.STATES}
    if failed := by_state["failed"]:
        reasons = sorted({run.message for run in failed if run.message})
        reason = f": {'; '.join(reasons)}" if reasons else ""
        lines.append(f"{row.variant}: failed, and not in its numbers: {_named(failed)}{reason}")
    for state in ("running", "interrupted"):
        if by_state[state]:
            outside = "" if row.provisional else ", and not in its numbers"
            lines.append(f"{row.variant}: {state}{outside}: {_named(by_state[state])}")
    if missing := by_state["missing"]:
        lines.append(f"{row.variant}: missing, for want of episodes or of a readable log: {_named(missing)}")
    return lines


def _about_rewards(variant: str, runs: Sequence[RunResult]) -> list[str]:
    broken = {}
    for run in used_runs(runs):
        count = int((~np.isfinite(run.tail_log["reward"].to_numpy())).sum())
        if count:
            broken[run.run] = count
    if not broken:
        return []
    named = ", ".join(f"run {run}: {count}" for run, count in broken.items())
    return [f"{variant}: rewards that are no finite number among its tail episodes ({named}); its mean shows it."]


def _about_lengths(variant: str, runs: Sequence[RunResult]) -> list[str]:
    used = [run for run in used_runs(runs) if run.state == "finished"]
    lengths = sorted({len(run.log) for run in used})
    tails = sorted({run.tail for run in used})
    lines = []
    if len(lengths) > 1:
        lines.append(f"{variant}: its finished runs have unequal lengths ({lengths[0]:,} to {lengths[-1]:,} episodes).")
    if len(tails) > 1:
        lines.append(f"{variant}: its runs have unequal tails ({tails[0]:,} to {tails[-1]:,} episodes).")
    return lines


def _named(runs: Sequence[RunResult]) -> str:
    """`runs 0 (12 of 100 episodes) and 2 (7 of 100 episodes)`."""
    names = []
    for run in runs:
        planned = f" of {run.planned:,}" if run.planned else ""
        names.append(f"{run.run} ({len(run.log):,}{planned} episodes)" if len(run.log) else run.run)
    if len(names) == 1:
        return f"run {names[0]}"
    return f"runs {', '.join(names[:-1])} and {names[-1]}"


def verdicts(pairs: Sequence[PairTest], shown: int = 10, level: float = 0.05) -> list[str]:
    """The pairs that differ after Holm's correction, the surest first, below a line that counts them."""
    if not pairs:
        return []
    sure = sorted((pair for pair in pairs if pair.p_holm < level), key=lambda pair: pair.p_holm)
    lines = [
        f"{len(pairs)} pair{'s' * (len(pairs) != 1)} of variants tested (Welch's t-test on run means, Holm's "
        f"correction): {len(sure) or 'none'} differ{'s' * (len(sure) < 2)} at the {100 * level:.0f} % level."
    ]
    for pair in sure[:shown]:
        better, worse, difference, low, high = (
            pair.first,
            pair.second,
            pair.difference,
            pair.lower,
            pair.upper,
        )
        if difference < 0:
            better, worse, difference, low, high = worse, better, -difference, -high, -low
        interval = f"+{difference:.4g} [{low:.4g}, {high:.4g}]"
        lines.append(f"  {better} over {worse}: {interval}, p = {pair.p_holm:.2g}")
    if len(sure) > shown:
        lines.append(f"  and {len(sure) - shown} more, see pairwise.csv")
    return lines
