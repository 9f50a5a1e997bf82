"""All runs at a glance, redrawn in place on a terminal."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from merlin.launch.follow import Follower
from merlin.launch.job import Job, Outcome
from merlin.launch.views import View
from merlin.training.console import EVENT_MARK

_REDRAW_SECONDS = 0.5
_LINES_AROUND = 8
_STYLES = {"running": "cyan", "finished": "green", "failed": "red", "held": "red", "interrupted": "yellow"}
_ORDER = ["running", "failed", "held", "interrupted", "waiting", "finished", "skipped"]


@dataclass
class Row:
    """What is shown of one run.

    Attributes:
        job: the run.
        state: "waiting", "running" or the fate of its outcome.
        status: what its status.json said last.
        first_episode: episodes that it had when it was first looked at; None before.
        first_seen: when that was, in seconds of the clock.
    """

    job: Job
    state: str = "waiting"
    status: dict[str, Any] | None = None
    first_episode: int | None = None
    first_seen: float = 0.0

    @property
    def episode(self) -> int:
        """Episodes that are done."""
        if self.state in ("finished", "skipped"):
            return self.job.episodes
        return int((self.status or {}).get("episode") or 0)

    def seconds_left(self, now: float) -> float | None:
        """Returns how long the run will take at the rate of its episodes so far; None if that is unknown."""
        if self.state != "running" or self.first_episode is None or self.episode <= self.first_episode:
            return None
        rate = (self.episode - self.first_episode) / max(now - self.first_seen, 1e-9)
        return (self.job.episodes - self.episode) / rate


@final
class LiveView(View):
    """Draws a table of the runs; marked events scroll by above it.

    Args:
        jobs: all runs.
        console: the terminal.
    """

    def __init__(self, jobs: Sequence[Job], console: Console):
        self._rows = {job: Row(job, "skipped" if job.finished else "waiting") for job in jobs}
        self._followers: dict[Job, Follower] = {}
        self._begun = time.monotonic()
        self._drawn = 0.0
        self._live = Live(console=console, auto_refresh=False)
        self._live.start()

    def started(self, job: Job) -> None:
        self._rows[job].state = "running"
        self._followers[job] = Follower(job.folder.console_log)

    def ended(self, outcome: Outcome) -> None:
        self._show_events(outcome.job)
        self._followers.pop(outcome.job, None)
        self._read_status(self._rows[outcome.job])
        self._rows[outcome.job].state = outcome.fate

    def note(self, text: str) -> None:
        self._live.console.print(Text(text, style="bold"))

    def tick(self) -> None:
        if time.monotonic() - self._drawn >= _REDRAW_SECONDS:
            self._draw()

    def close(self) -> None:
        self._draw()
        self._live.stop()

    def _draw(self) -> None:
        for job in self._followers:
            self._show_events(job)
            self._read_status(self._rows[job])
        self._drawn = time.monotonic()
        height = self._live.console.height - _LINES_AROUND
        self._live.update(picture(list(self._rows.values()), self._begun, self._drawn, height), refresh=True)

    def _show_events(self, job: Job) -> None:
        if (follower := self._followers.get(job)) is not None:
            for line in follower.lines():
                if line.startswith(EVENT_MARK):
                    self._live.console.print(Text(line, style="magenta"))

    def _read_status(self, row: Row) -> None:
        row.status = row.job.folder.read_status()
        # A worker that has only just begun shows what its predecessor left: it is not counted as progress.
        # Then it goes on from its checkpoint, which may have fewer episodes than were played.
        if row.status.get("state") == "running" and row.episode < (row.first_episode or row.episode + 1):
            row.first_episode, row.first_seen = row.episode, time.monotonic()


def picture(rows: Sequence[Row], begun: float, now: float, height: int) -> Group:
    """Returns the table, and below it a line about all of the runs.

    Args:
        rows: the runs.
        begun: when the first of them was started, in seconds.
        now: the time now, in seconds of the same clock.
        height: rows that there is room for.
    """
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("experiment", "run@variant", "state"):
        table.add_column(column, no_wrap=True, overflow="ellipsis")
    table.add_column("", width=20)
    for column in ("episode", "mean reward", "steps/s", "left"):
        table.add_column(column, justify="right", no_wrap=True)
    shown = sorted(rows, key=lambda row: _ORDER.index(row.state))[: max(height, 1)]
    for row in shown:
        status = row.status or {}
        table.add_row(
            row.job.experiment,
            row.job.label,
            Text(row.state, style=_STYLES.get(row.state, "dim")),
            _bar(row),
            f"{row.episode}/{row.job.episodes}",
            _number(status.get("mean_reward"), 2),
            _number(status.get("steps_per_second") if row.state == "running" else None, 0),
            duration(row.seconds_left(now)),
        )
    return Group(table, Text(_overall(rows, begun, now, len(rows) - len(shown)), style="bold"))


def duration(seconds: float | None) -> str:
    """Returns a time as h:mm:ss or m:ss; a dash if it is unknown."""
    if seconds is None:
        return "-"
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02d}:{second:02d}" if hours else f"{minute}:{second:02d}"


def _overall(rows: Sequence[Row], begun: float, now: float, hidden: int) -> str:
    states = [row.state for row in rows]
    counts = ", ".join(f"{states.count(state)} {state}" for state in _ORDER if state in states)
    done = sum(row.episode - row.first_episode for row in rows if row.first_episode is not None)
    left = sum(row.job.episodes - row.episode for row in rows if row.state in ("waiting", "running"))
    seconds = left * (now - begun) / done if done > 0 else None
    more = f" ({hidden} not shown)" if hidden > 0 else ""
    runs = "1 run" if len(rows) == 1 else f"{len(rows)} runs"
    return f"{runs}: {counts}{more}; {duration(now - begun)} so far, {duration(seconds)} left"


def _bar(row: Row) -> ProgressBar:
    # Colours of its own: on terminals with few of them, rich shows a full bar as an empty one.
    return ProgressBar(
        total=row.job.episodes,
        completed=row.episode,
        width=20,
        style="dim",
        complete_style="cyan",
        finished_style="green",
    )


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"
