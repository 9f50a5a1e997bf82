"""Numbers → pictures: reward over episodes, and the distribution of the tail's rewards.

Figures are made with matplotlib's objects: there is no current figure and no setting outlives a call.
"""

import io
import textwrap
from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from merlin.analysis.curves import Curve
from merlin.analysis.statistics import VariantStatistics

# Okabe and Ito (2008), told apart in all common forms of colour blindness; without its yellow, too pale for a line.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
GREY = "#767676"
CURVE_POINTS = 6400  # of all variants together; keeps the SVG well below 1 MB
MOST_BINS = 60

_STYLE = {
    "font.size": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#444444",
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "legend.frameon": False,
    "legend.fontsize": 8,
    "svg.fonttype": "none",  # text stays text: it can be found, copied and read out
    "svg.hashsalt": "merlin",  # the same numbers give the same file
}


def style():
    """The settings under which the figures are made and saved: `with style(): …`."""
    return matplotlib.rc_context({**matplotlib.rcParamsDefault, "backend": "agg", **_STYLE})


def colours(variants: Sequence[str]) -> dict[str, str]:
    """A colour for each variant, by its name's place so that it stays when ranks change; one for all if many."""
    if len(variants) > len(COLOURS):
        return dict.fromkeys(variants, COLOURS[0])
    return dict(zip(sorted(variants), COLOURS, strict=False))


def reward_figure(experiment: str, curves: Sequence[Curve], window: int) -> Figure:
    """Reward over episodes, best variant first: in one plot, or in one for each variant where they are many."""
    if len(curves) > len(COLOURS):
        return _reward_panels(experiment, curves, window)
    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    axes = figure.subplots()
    second = _epsilon_axes(axes)
    colour = colours([curve.variant for curve in curves])
    shared = _share_epsilon(curves)
    for order, curve in enumerate(curves):
        _draw_curve(axes, curve, colour[curve.variant], zorder=3 + len(curves) - order)
        if order == 0 or not shared:
            _draw_epsilon(second, curve, GREY if shared else colour[curve.variant])
    axes.set_xlabel("Episode")
    axes.set_ylabel("Reward")
    second.set_ylabel("Epsilon", color=GREY)
    handles = [
        Line2D([], [], color=colour[curve.variant], linewidth=1.6, label=_curve_label(curve)) for curve in curves
    ]
    _finish(figure, axes, experiment, curves, window, handles, shared)
    return figure


def _reward_panels(experiment: str, curves: Sequence[Curve], window: int) -> Figure:
    columns = 4 if len(curves) <= 16 else 5
    rows = -(-len(curves) // columns)
    figure = Figure(figsize=(2.0 * columns, 1.2 + 1.55 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for order, axes in enumerate(grid.flat):
        if order >= len(curves):
            axes.remove()
            continue
        curve = curves[order]
        second = _epsilon_axes(axes)
        axes.plot(curves[0].episode, curves[0].mean, color="#aaaaaa", linewidth=0.8, zorder=2)
        _draw_curve(axes, curve, COLOURS[0], zorder=3)
        _draw_epsilon(second, curve, GREY)
        title = textwrap.wrap(f"{order + 1}  {_curve_label(curve)}", 34, max_lines=3, placeholder=" …")
        axes.set_title("\n".join(title), fontsize=7, loc="left")
        axes.tick_params(labelsize=7, labelbottom=order + columns >= len(curves))
        second.tick_params(labelsize=7, labelright=(order + 1) % columns == 0 or order + 1 == len(curves))
    figure.supxlabel("Episode", fontsize=8.5)
    figure.supylabel("Reward (epsilon on the right)", fontsize=8.5)
    handles = [Line2D([], [], color="#aaaaaa", linewidth=0.8, label=f"best variant, {_wrapped(curves[0].variant)}")]
    _finish(figure, grid[0, 0], experiment, curves, window, handles, shared=True)
    return figure


def _draw_curve(axes: Axes, curve: Curve, colour: str, zorder: float) -> None:
    axes.fill_between(curve.episode, curve.low, curve.high, color=colour, alpha=0.18, linewidth=0, zorder=2)
    # One episode, or one between two gaps, is no line: a marker shows it.
    alone = np.isfinite(curve.mean) & np.isnan(np.append(curve.mean[1:], np.nan))
    alone &= np.isnan(np.append(np.nan, curve.mean[:-1]))
    axes.plot(curve.episode, curve.mean, color=colour, linewidth=1.4, marker="o", markersize=3,
              markevery=list(np.flatnonzero(alone)), zorder=zorder)  # fmt: skip
    drops = curve.drops
    axes.plot(curve.episode[drops], curve.mean[drops], color=colour, linestyle="none", marker="o", markersize=4.5,
              markerfacecolor="white", zorder=zorder)  # fmt: skip


def _epsilon_axes(axes: Axes) -> Axes:
    second = axes.twinx()
    second.set_ylim(0, 1.05)
    second.grid(False)
    second.tick_params(colors=GREY, labelcolor=GREY)
    return second


def _draw_epsilon(axes: Axes, curve: Curve, colour: str) -> None:
    axes.plot(curve.episode, curve.epsilon, color=colour, linewidth=0.8, linestyle=(0, (4, 3)))


def _share_epsilon(curves: Sequence[Curve]) -> bool:
    """Whether every variant that has an epsilon has that of the first over all its episodes."""
    return all(
        np.allclose(np.interp(curve.episode, curves[0].episode, curves[0].epsilon), curve.epsilon, atol=0.005)
        for curve in curves
    )


def _finish(figure, axes, experiment, curves, window, handles, shared: bool) -> None:
    """Title, limits and the legend, which names all that is drawn."""
    longest = max((curve.episode[-1] for curve in curves), default=1)
    axes.set_xlim(0 if longest > 20 else 0.5, longest if longest > 20 else longest + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    if any((curve.count >= 2).any() for curve in curves):
        handles.append(Patch(color=GREY, alpha=0.3, linewidth=0, label="band: smallest to largest run"))
    if any(np.isfinite(curve.epsilon).any() for curve in curves):
        label = "epsilon (right axis)" if shared else "epsilon (right axis), in its variant's colour"
        handles.append(Line2D([], [], color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), label=label))
    if any(len(curve.drops) for curve in curves):
        handles.append(Line2D([], [], color=GREY, linestyle="none", marker="o", markersize=4.5, markerfacecolor="white",
                              label="a run ends; the mean goes on over fewer"))  # fmt: skip
    average = "reward of each episode" if window == 1 else f"moving average of the last {window} episodes"
    figure.suptitle(f"{experiment}: mean over n runs, {average}", fontsize=9.5, x=0.01, ha="left")
    longest_label = max((len(line) for h in handles for line in str(h.get_label()).split("\n")), default=0)
    figure.legend(handles=handles, loc="outside lower left", ncols=2 if longest_label < 56 else 1)


def _curve_label(curve: Curve) -> str:
    counts = [curve.count.max(), *curve.count[curve.drops + 1]]
    return f"{_wrapped(curve.variant)} (n = {' → '.join(map(str, counts))})"


def _wrapped(name: str, width: int = 60) -> str:
    """A long name on several lines, broken after its commas where it has some."""
    return "\n".join(textwrap.wrap(name.replace(",", ", "), width)).replace(", ", ",") if len(name) > width else name
