"""Numbers → picture: reward over episodes, with bands, epsilon and the number of runs.

The figure is made with matplotlib's objects: there is no current figure and no setting outlives a call.
Call this within `figure_style.style()`.
"""

from collections.abc import Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from merlin.analysis.curves import Curve
from merlin.analysis.figure_style import (
    COLOURS,
    DASHED,
    GREY,
    LIGHT_GREY,
    OPEN_CIRCLE,
    colours,
    wrapped,
)

EPSILON_TOP = 1.05
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
        Line2D([], [], color=colour[curve.variant], linewidth=1.6, label=_curve_label(curve, 52)) for curve in curves
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
        # Drawing takes as long as there are axes: only the outermost panels have the second one.
        height = axes.get_xaxis_transform()
        axes.plot(curve.episode, curve.epsilon / EPSILON_TOP, color=GREY, transform=height, zorder=1.5, **DASHED)
        if last_column or order + 1 == len(curves):
            second = _epsilon_axes(axes)
            second.set_yticks([0, 0.5, 1])
            second.tick_params(labelsize=7)
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
    axes.plot(curve.episode[alone], curve.mean[alone], color=colour, linestyle="none", marker="o", markersize=4)
    drops = curve.drops
    axes.plot(curve.episode[drops], curve.mean[drops], color=colour, zorder=zorder, **OPEN_CIRCLE)
    for drop in drops if name_drops else ():
        place = (curve.episode[drop], curve.mean[drop])
        text = f"n = {curve.count[drop + 1]}"
        axes.annotate(text, place, (3, -10), textcoords="offset points", fontsize=7, color=colour, zorder=zorder)


def _epsilon_axes(axes: Axes) -> Axes:
    second = axes.twinx()
    second.set_ylim(0, EPSILON_TOP)
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
