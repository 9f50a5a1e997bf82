"""Which view suits the place that standard output goes to."""

import sys
from collections.abc import Sequence

from merlin.launch.job import Job
from merlin.launch.views import PlainView, View


def make_view(jobs: Sequence[Job]) -> View:
    """Returns the live view where standard output is a terminal, and plain lines elsewhere."""
    if sys.stdout.isatty():
        from rich.console import Console

        console = Console()
        if console.is_terminal and not console.is_dumb_terminal:
            from merlin.launch.live_view import LiveView

            return LiveView(jobs, console)
    return PlainView()
