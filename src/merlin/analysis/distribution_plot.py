"""Numbers → picture: the distribution of the tail's rewards, with each run and the interval over runs.

Call this within `figure_style.style()`.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from merlin.analysis.figure_style import GREY, SMALL_CIRCLE, colours, wrapped
from merlin.analysis.statistics import VariantStatistics

MOST_BINS = 60


def distribution_figure(
    experiment: str, variants: Sequence[VariantStatistics], rewards: Mapping[str, np.ndarray], tail: str
) -> Figure:
    """A histogram of each variant's tail rewards, best variant on top; below it its runs and their interval.

    rewards: variant -> the rewards of all tail episodes of the runs used, shape [episodes].
    tail: how many episodes that are at most, in words.
    Heights are relative to the fullest bin of the same variant. The bins are the same for all variants.
    """
    labels = [_row_label(row, rewards[row.variant]) for row in variants]
    lines = max((label.count("\n") + 1 for label in labels), default=1)
    row_height = max(0.66 if len(variants) <= 12 else 0.5, 0.14 * lines + 0.12)
    figure = Figure(figsize=(7.0, 1.2 + row_height * max(1, len(variants))), layout="constrained")
    axes = figure.subplots()
    colour = colours([row.variant for row in variants])
    edges = bin_edges(np.concatenate([*rewards.values(), np.empty(0)]))
    for order, row in enumerate(variants):
        _draw_row(axes, order, row, rewards[row.variant], edges, colour[row.variant])
    axes.set_yticks(range(len(labels)), labels, fontsize=8 if len(variants) <= 12 else 7)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.set_ylim(max(1, len(variants)) - 0.6, -0.75)
    axes.set_xlim(*_limits(edges, variants))
    axes.set_xlabel("Reward of an episode")
    title = f"{experiment}: rewards of the last {tail} episodes of each run"
    figure.suptitle(title, fontsize=9.5, x=0.01, ha="left")
    bars = Patch(color=GREY, alpha=0.55, linewidth=0, label="episodes, relative to the fullest bin")
    circle = Line2D([], [], color=GREY, **SMALL_CIRCLE, label="mean of one run")
    interval = Line2D([], [], color="black", linewidth=1.1, label="mean of runs, 95 % t interval")
    figure.legend(handles=[bars, circle, interval], loc="outside lower left", ncols=3)
    return figure


def _draw_row(
    axes: Axes, order: int, row: VariantStatistics, rewards: np.ndarray, edges: np.ndarray, colour: str
) -> None:
    finite = rewards[np.isfinite(rewards)]
    if len(finite):
        counts, _ = np.histogram(finite, edges)
        heights = order - 0.62 * counts / counts.max()
        axes.stairs(heights, edges, baseline=order, fill=True, color=colour, alpha=0.55, linewidth=0)
    axes.axhline(order, color="#bbbbbb", linewidth=0.5, zorder=1)
    below = order + 0.16
    if row.lower is not None and row.upper is not None:
        axes.plot([row.lower, row.upper], [below, below], color="black", linewidth=1.1)
        axes.plot([row.run_mean], [below], color="black", marker="|", markersize=7)
    places = np.full(len(row.run_means), below)
    axes.plot(row.run_means, places, color=colour, zorder=3, **SMALL_CIRCLE)


def bin_edges(values: np.ndarray) -> np.ndarray:
    """The edges of at most `MOST_BINS` bins that hold all finite values; around whole numbers where all are.

    Equal values give one bin around them, no values one around 0.
    """
    values = values[np.isfinite(values)]
    if not len(values):
        return np.array([-0.5, 0.5])
    low, high = float(values.min()), float(values.max())
    if (values == np.round(values)).all() and high - low < 2**52:
        width = np.ceil((high - low + 1) / MOST_BINS)
        return low - 0.5 + width * np.arange(np.ceil((high - low + 1) / width) + 1)
    if high - low <= 1e-9 * max(abs(high), abs(low)):
        half = 0.01 * max(abs(high), abs(low))
        return np.array([low - half, high + half])
    return np.linspace(low, high, MOST_BINS + 1)


def _limits(edges: np.ndarray, variants: Sequence[VariantStatistics]) -> tuple[float, float]:
    """Room for all bins and intervals; an interval of two runs may be far wider, and is then cut off."""
    width = edges[-1] - edges[0]
    bounds = [bound for row in variants for bound in (row.lower, row.upper) if bound is not None]
    bounds = [bound for bound in bounds if np.isfinite(bound)]
    low = max(min([edges[0], *bounds]), edges[0] - width / 2)
    high = min(max([edges[-1], *bounds]), edges[-1] + width / 2)
    margin = 0.02 * (high - low) if len(edges) > 4 else 2 * width  # one bin alone is a bar, not a wall
    return low - margin, high + margin


def _row_label(row: VariantStatistics, rewards: np.ndarray) -> str:
    runs = len(row.run_means)
    if not runs:
        return f"{wrapped(row.variant, 40)}\nno run with results"
    numbers = f"{runs} run{'s' * (runs != 1)}, {row.episodes:,} episode{'s' * (row.episodes != 1)}"
    if row.provisional:
        numbers += ", unfinished"
    if not_finite := int((~np.isfinite(rewards)).sum()):
        numbers += f",\n{not_finite:,} of them not finite, not drawn"
    return f"{wrapped(row.variant, 40)}\n{numbers}"
