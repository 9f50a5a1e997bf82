"""Statistics as text: for the terminal, and as CSV."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import astuple, fields

from merlin.analysis.statistics import PairTest, VariantStatistics

Cell = str | int | float | None

HEADINGS = ("#", "variant", "runs", "episodes", "reward", "lower", "upper", "std", "steps", "std")


def variant_table(variants: Sequence[VariantStatistics]) -> str:
    """The ranked variants as aligned columns. `reward` is the mean of the runs, `std` is over episodes."""
    rewards = [value for row in variants for value in (row.run_mean, row.lower, row.upper, row.episode_std)]
    show_reward = _formatter(rewards)
    show_steps = _formatter([value for row in variants for value in (row.steps_mean, row.steps_std)])
    lines = [HEADINGS]
    for rank, row in enumerate(variants, 1):
        numbers = [show_reward(value) for value in (row.run_mean, row.lower, row.upper, row.episode_std)]
        steps = [show_steps(value) for value in (row.steps_mean, row.steps_std)]
        lines.append((str(rank), row.variant, _runs(row), f"{row.episodes:,}", *numbers, *steps))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = []
    for line in lines:
        cells = [
            cell.ljust(width) if place in (1, 2) else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        text.append("  ".join(cells).rstrip())
    return "\n".join(text)


def _runs(row: VariantStatistics) -> str:
    """`3` if all runs are in the numbers, else how many are and how the others stand."""
    total = sum(row.runs.values())
    others = {state: count for state, count in row.runs.items() if count and state != "finished"}
    if not others:
        return str(total)
    named = ", ".join(f"{count} {state}" for state, count in others.items())
    return f"{len(row.run_means)} of {total} ({named})"


def _formatter(values: Sequence[float | None]):
    """A function that shows numbers with as many places as give the largest of `values` four digits."""
    sizes = [abs(value) for value in values if value is not None and math.isfinite(value) and value]
    places = min(6, max(0, 3 - math.floor(math.log10(max(sizes))))) if sizes else 1
    return lambda value: "-" if value is None else f"{value:,.{places}f}"


def stats_csv(variants: Sequence[VariantStatistics]) -> str:
    """reward_stats.csv: one line per variant, best first. Empty where there is no such number."""
    lines = []
    for rank, row in enumerate(variants, 1):
        ranked_by = "lower_95" if row.lower is not None else "run_reward_mean" if row.run_mean is not None else None
        lines.append({
            "rank": rank,
            "variant": row.variant,
            "runs": sum(row.runs.values()),
            **row.runs,
            "runs_used": len(row.run_means),
            "episodes_used": row.episodes,
            "episode_reward_mean": row.episode_mean,
            "episode_reward_std": row.episode_std,
            "run_reward_mean": row.run_mean,
            "run_reward_std": row.run_std,
            "reward_lower_95": row.lower,
            "reward_upper_95": row.upper,
            "episode_steps_mean": row.steps_mean,
            "episode_steps_std": row.steps_std,
            "ranked_by": ranked_by,
            "provisional": "yes" if row.provisional else "no",
        })  # fmt: skip
    return _csv(list(lines[0]), [list(line.values()) for line in lines])


def pairs_csv(pairs: Sequence[PairTest]) -> str:
    """pairwise.csv: one line per pair of variants tested, better ranked first; only a header if none was."""
    names = {field.name: field.name for field in fields(PairTest)}
    names |= {"lower": "difference_lower_95", "upper": "difference_upper_95"}
    return _csv(list(names.values()), [astuple(pair) for pair in pairs])


def _csv(header: list[str], rows: Sequence[Sequence[Cell]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
