"""Tables for the terminal, which also read well in a file."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH_OF_A_FILE = 200
"""Columns where the output is no terminal: wide enough that hardly anything is wrapped."""


def console() -> Console:
    """Returns a console on the standard output of this moment."""
    terminal = Console(highlight=False)
    return terminal if terminal.is_terminal else Console(highlight=False, width=WIDTH_OF_A_FILE)


def table(columns: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> Table:
    """Returns a table; the first column is never wrapped."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for index, column in enumerate(columns):
        made.add_column(column, no_wrap=index == 0, overflow="fold")
    for row in rows:
        # As Text, so that no square bracket of a value is taken for markup.
        made.add_row(*(cell if isinstance(cell, Text) else Text(cell) for cell in row))
    return made


def heading(text: str) -> Text:
    """Returns a line that begins a part of the output."""
    return Text(text, style="bold cyan")
