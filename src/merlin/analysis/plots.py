"""Numbers → pictures: reward over episodes, and the distribution of the tail's rewards.

Figures are made with matplotlib's objects: there is no current figure and no setting outlives a call.
Call these within `figure_style.style()`.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from merlin.analysis.curves import Curve
from merlin.analysis.figure_style import COLOURS, DASHED, GREY, LIGHT_GREY, OPEN_CIRCLE, colours, wrapped
from merlin.analysis.statistics import VariantStatistics

MOST_BINS = 60
MOST_DROPS_NAMED = 8


def reward_figure(experiment: str, curves: Sequence[Curve], window: int) -> Figure:
    """Reward over episodes, best variant first: in one plot, or in a panel for each where they are many."""
    if len(curves) > len(COLOURS):
        return _reward_panels(experiment, curves, window)
    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    axes = figure.subplots()
    colour = colours([curve.variant for curve in curves])
    with_epsilon = [curve for curve in curves if np.isfinite(curve.epsilon).any()]
    shared = _same_epsilon(with_epsilon)
    second = _epsilon_axes(axes)
    for curve in with_epsilon[: 1 if shared else None]:
        second.plot(curve.episode, curve.epsilon, color=GREY if shared else colour[curve.variant], **DASHED)
    few_drops = sum(len(curve.drops) for curve in curves) <= MOST_DROPS_NAMED
    for order, curve in enumerate(curves):
        _draw_curve(axes, curve, colour[curve.variant], 3 + len(curves) - order, few_drops)
    if not curves:
        axes.text(0.5, 0.5, "no run has an episode yet", transform=axes.transAxes, ha="center", color=GREY)
    axes.set_xlabel("Episode")
    axes.set_ylabel("Reward")
    second.set_ylabel("Epsilon", color=GREY)
    handles: list[Artist] = [
        Line2D([], [], color=colour[curve.variant], linewidth=1.6, label=_curve_label(curve, 52))
        for curve in curves
    ]
    handles += _explanations(curves, "" if shared else ", in its variant's colour")
    _finish(figure, axes, experiment, curves, window, handles)
    return figure


def _reward_panels(experiment: str, curves: Sequence[Curve], window: int) -> Figure:
    columns = 4 if len(curves) <= 16 else 5
    rows = -(-len(curves) // columns)
    titles = [f"{order}  {_curve_label(curve, 30)}" for order, curve in enumerate(curves, 1)]
    title_lines = max(title.count("\n") for title in titles) + 1
    figure = Figure(figsize=(2.0 * columns, 1.3 + (1.25 + 0.13 * title_lines) * rows), layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    best = curves[0]
    for order, axes in enumerate(grid.flat):
        if order >= len(curves):
            axes.remove()
            continue
        curve = curves[order]
        axes.plot(best.episode, best.mean, color=LIGHT_GREY, linewidth=0.9, zorder=2)
        _draw_curve(axes, curve, COLOURS[0], 3, name_drops=False)
        axes.set_title(titles[order], fontsize=7, loc="left")
        last_row, last_column = order + columns >= len(curves), (order + 1) % columns == 0
        axes.tick_params(labelsize=7, labelbottom=last_row)
        if last_row:
            axes.set_xlabel("Episode", fontsize=7)
        second = _epsilon_axes(axes)
        second.plot(curve.episode, curve.epsilon, color=GREY, **DASHED)
        second.set_yticks([0, 0.5, 1])
        outer = last_column or order + 1 == len(curves)
        second.tick_params(labelsize=7, labelright=outer, right=outer)
    figure.supylabel("Reward (right: epsilon)", fontsize=8.5)
    label = f"the best variant, {wrapped(best.variant, 70)}"
    handles = [Line2D([], [], color=LIGHT_GREY, linewidth=0.9, label=label), *_explanations(curves)]
    _finish(figure, grid[0, 0], experiment, curves, window, handles)
    return figure


def _draw_curve(axes: Axes, curve: Curve, colour: str, zorder: float, name_drops: bool) -> None:
    axes.fill_between(curve.episode, curve.low, curve.high, color=colour, alpha=0.18, linewidth=0, zorder=2)
    axes.plot(curve.episode, curve.mean, color=colour, linewidth=1.4, zorder=zorder)
    # A value between two gaps, or the only one, is no line: a dot shows it.
    gap = np.concatenate([[True], np.isnan(curve.mean), [True]])
    alone = ~gap[1:-1] & gap[:-2] & gap[2:]
    axes.plot(
        curve.episode[alone], curve.mean[alone], color=colour, linestyle="none", marker="o", markersize=4
    )
    drops = curve.drops
    axes.plot(curve.episode[drops], curve.mean[drops], color=colour, zorder=zorder, **OPEN_CIRCLE)
    for drop in drops if name_drops else ():
        place = (curve.episode[drop], curve.mean[drop])
        text = f"n = {curve.count[drop + 1]}"
        axes.annotate(
            text, place, (3, -10), textcoords="offset points", fontsize=7, color=colour, zorder=zorder
        )


def _epsilon_axes(axes: Axes) -> Axes:
    second = axes.twinx()
    second.set_ylim(0, 1.05)
    second.grid(False)
    second.tick_params(colors=GREY, labelcolor=GREY)
    # Behind the curves, whose own background would hide it.
    second.set_zorder(axes.get_zorder() - 1)
    axes.patch.set_visible(False)
    return second


def _same_epsilon(curves: Sequence[Curve]) -> bool:
    """Whether all these have the epsilon of the longest of them."""
    if not curves:
        return True
    longest = max(curves, key=lambda curve: curve.episode[-1])
    return all(
        np.allclose(np.interp(curve.episode, longest.episode, longest.epsilon), curve.epsilon, atol=0.01)
        for curve in curves
    )


def _explanations(curves: Sequence[Curve], whose_epsilon: str = "") -> list[Artist]:
    """Legend entries for what is drawn besides the curves."""
    handles: list[Artist] = []
    if any((curve.count >= 2).any() for curve in curves):
        handles.append(Patch(color=GREY, alpha=0.3, linewidth=0, label="band: smallest to largest run"))
    if any(np.isfinite(curve.epsilon).any() for curve in curves):
        handles.append(Line2D([], [], color=GREY, **DASHED, label=f"epsilon (right axis){whose_epsilon}"))
    if any(len(curve.drops) for curve in curves):
        handles.append(Line2D([], [], color=GREY, **OPEN_CIRCLE, label="a run ends, the mean goes on over n"))
    return handles


def _finish(
    figure: Figure, axes: Axes, experiment: str, curves: Sequence[Curve], window: int, handles: list[Artist]
) -> None:
    longest = max((curve.episode[-1] for curve in curves), default=1)
    axes.set_xlim((0, longest) if longest > 20 else (0.5, longest + 0.5))
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 2.5, 5, 10]))
    average = "" if window == 1 else f", moving average of the last {window} episodes"
    figure.suptitle(f"{experiment}: mean over n runs{average}", fontsize=9.5, x=0.01, ha="left")
    widest = max((len(line) for handle in handles for line in str(handle.get_label()).split("\n")), default=0)
    figure.legend(handles=handles, loc="outside lower left", ncols=2 if widest < 54 else 1)


def _curve_label(curve: Curve, width: int) -> str:
    counts = " → ".join(str(count) for count in [curve.count.max(), *curve.count[curve.drops + 1]])
    # A legend leaves out labels that begin with "_".
    name = wrapped(curve.variant, width).removeprefix("_")
    name = f" _{name}" if curve.variant.startswith("_") else name
    return f"{name} (n = {counts})"


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
    circle = Line2D([], [], color=GREY, **{**OPEN_CIRCLE, "markersize": 3.4}, label="mean of one run")
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
    axes.plot(row.run_means, places, color=colour, zorder=3, **{**OPEN_CIRCLE, "markersize": 3.4})


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
    return low - 0.02 * (high - low), high + 0.02 * (high - low)


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
