"""Numbers → pictures: what a figure shows, asked of the figure itself."""

import matplotlib
import numpy as np
import pytest

from merlin.analysis import distribution_plot, figure_style
from merlin.analysis.curves import Curve
from merlin.analysis.reward_plot import reward_figure
from tests.analysis.test_statistics import row


def curve(variant: str, count=(3, 3, 2), epsilon=(1.0, 0.5, 0.1)) -> Curve:
    mean = np.array([1.0, 2.0, 3.0])
    return Curve(variant, np.array([1.0, 2, 3]), mean, mean - 1, mean + 1, np.array(count), np.array(epsilon))


def legend(figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_the_legend_says_runs_band_epsilon_and_where_runs_end():
    with figure_style.style():
        figure = reward_figure("pong", [curve("dqn")], 100)
    assert legend(figure) == [
        "dqn (n = 3 → 2)",
        "band: smallest to largest run",
        "epsilon (right axis)",
        "a run ends, the mean goes on over n",
    ]
    assert figure.get_suptitle() == "pong: mean over n runs, moving average of the last 100 episodes"
    assert [text.get_text() for text in figure.axes[0].texts] == ["n = 2"]


def test_one_run_has_no_band_and_a_walker_no_epsilon():
    with figure_style.style():
        figure = reward_figure("pong", [curve("walker", (1, 1, 1), (np.nan,) * 3)], 1)
    assert legend(figure) == ["walker (n = 1)"]


def test_equal_epsilons_are_one_line_and_unequal_ones_several():
    with figure_style.style():
        walker = curve("walker", epsilon=(np.nan,) * 3)
        same = reward_figure("pong", [walker, curve("a"), curve("b")], 1)
        other = reward_figure("pong", [curve("a"), curve("b", epsilon=(1, 1, 1))], 1)
    assert [line.get_color() for line in same.axes[1].lines] == [figure_style.GREY]
    assert len(other.axes[1].lines) == 2
    assert "epsilon (right axis), in its variant's colour" in legend(other)


def test_many_variants_have_a_panel_each():
    with figure_style.style():
        figure = reward_figure("pong", [curve(f"alpha={i}") for i in range(40)], 1)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert [title for title in titles if title] == [f"{i + 1}  alpha={i} (n = 3 → 2)" for i in range(40)]


def test_a_value_that_stands_alone_is_a_dot():
    lonely = curve("a")
    lonely.mean[1] = np.nan
    with figure_style.style():
        figure = reward_figure("pong", [lonely], 1)
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o" and line.get_markersize() == 4]
    np.testing.assert_array_equal(dots[0].get_xdata(), [1, 3])


def test_a_colour_stays_when_ranks_change():
    assert figure_style.colours(["b", "a"]) == figure_style.colours(["a", "b"])
    assert len(set(figure_style.colours([str(i) for i in range(7)]).values())) == 7


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([500.0, 500.0], [499.5, 500.5]),
        ([7.5], [7.425, 7.575]),
        ([], [-0.5, 0.5]),
        ([np.nan, np.inf], [-0.5, 0.5]),
        ([0.0, 2.0, np.nan], [-0.5, 0.5, 1.5, 2.5]),
    ],
)
def test_bins(values: list[float], expected: list[float]):
    np.testing.assert_allclose(distribution_plot.bin_edges(np.array(values)), expected)


@pytest.mark.parametrize("values", [[-21, 21], [0, 500], [0, 59], [0, 60], [0.5, 3.25], [1e300, -1e300], [1e17, -3]])
def test_bins_hold_all_values(values: list[float]):
    edges = distribution_plot.bin_edges(np.array(values, float))
    assert edges[0] <= min(values)
    assert max(values) <= edges[-1]
    assert len(edges) <= distribution_plot.MOST_BINS + 1


def test_the_distribution_says_what_stands_behind_each_row():
    rows = [row("dqn", 1.0, 3.0), row("one", 2.0), row("none")]
    rewards = {"dqn": np.array([1.0, 3.0]), "one": np.array([2.0, np.nan]), "none": np.empty(0)}
    with figure_style.style():
        figure = distribution_plot.distribution_figure("pong", rows, rewards, "2,000")
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels[0] == "dqn\n2 runs, 1 episode"
    assert labels[1] == "one\n1 run, 1 episode,\n1 of them not finite, not drawn"
    assert labels[2] == "none\nno run with results"


def test_long_names_break_after_commas_and_lose_nothing():
    name = "alpha=0.01,net_name=linear_deep_net," + "x" * 50
    lines = figure_style.wrapped(name, 30).split("\n")
    assert lines[:2] == ["alpha=0.01,", "net_name=linear_deep_net,"]
    assert max(map(len, lines)) <= 30
    assert "".join(lines) == name
    assert figure_style.wrapped("short", 30) == "short"


def test_no_setting_outlives_a_figure():
    before = dict(matplotlib.rcParams)
    with figure_style.style():
        reward_figure("pong", [curve("a")], 1)
    assert dict(matplotlib.rcParams) == before
