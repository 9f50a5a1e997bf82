"""How merlin's figures look, and how they become files."""

import io
import re
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from merlin.run_folder import write_atomically

# Okabe and Ito (2008): told apart in all common forms of colour blindness. Without yellow, pale on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
GREY = "#767676"
LIGHT_GREY = "#a8a8a8"
DASHED: dict[str, Any] = {"linewidth": 0.8, "linestyle": (0, (4, 3))}
OPEN_CIRCLE: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 4.5, "mfc": "white"}
SMALL_CIRCLE: dict[str, Any] = {**OPEN_CIRCLE, "markersize": 3.4}

_STYLE: dict[Any, Any] = {
    "figure.dpi": 200,
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
    "text.parse_math": False,  # a "$" in a variant's name is a dollar sign
    "svg.fonttype": "none",  # text stays text: it can be found, copied and read out
    "svg.hashsalt": "merlin",  # the same numbers give the same file
}


def style() -> AbstractContextManager[None]:
    """The settings under which the figures are made and saved: `with style(): …`."""
    defaults = {key: value for key, value in matplotlib.rcParamsDefault.items() if "backend" not in key}
    return matplotlib.rc_context({**defaults, **_STYLE})


def colours(variants: Sequence[str]) -> dict[str, str]:
    """A colour for each variant, by its name's place so that ranks do not change it; one for all if many."""
    if len(variants) > len(COLOURS):
        return dict.fromkeys(variants, COLOURS[0])
    return dict(zip(sorted(variants), COLOURS, strict=False))


def wrapped(name: str, width: int) -> str:
    """A long name on several lines of at most `width` characters, broken after its commas if it has any."""
    lines = [""]
    for part in re.findall("[^,]*,|[^,]+$", name):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
        while len(lines[-1]) > width:
            lines[-1:] = [lines[-1][:width], lines[-1][width:]]
    return "\n".join(lines)


def save(figure: Figure, stem: Path) -> list[Path]:
    """Write a figure as `<stem>.svg` and `<stem>.png`, each whole or not at all. Raises OSError."""
    written = []
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # a name in a script that the font lacks
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # laid out now; each file would do it again, and that takes longest
        for ending, metadata in ((".svg", {"Date": None}), (".png", {"Software": None})):
            picture = io.BytesIO()
            figure.savefig(picture, format=ending[1:], metadata=metadata, facecolor="white")
            write_atomically(stem.with_suffix(ending), picture.getvalue())
            written.append(stem.with_suffix(ending))
    return written
