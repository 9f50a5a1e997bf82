"""What a person sees while runs are at work."""

import errno
from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import Self, final

from merlin.launch.follow import Follower
from merlin.launch.job import Job, Outcome


class View(ABC):
    """Is told of everything that happens to the runs, and asked several times a second to show it."""

    @abstractmethod
    def started(self, job: Job) -> None:
        """A worker was started for this run."""

    @abstractmethod
    def ended(self, outcome: Outcome) -> None:
        """The worker of a run has ended."""

    @abstractmethod
    def note(self, text: str) -> None:
        """Something to say, in one line."""

    @abstractmethod
    def tick(self) -> None:
        """Shows what is new."""

    @abstractmethod
    def close(self) -> None:
        """Shows the last of it and lets go of the terminal."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@final
class PlainView(View):
    """Prints the console lines of all runs as they come: for files, pipes and logs."""

    def __init__(self) -> None:
        self._followers: dict[Job, Follower] = {}

    def started(self, job: Job) -> None:
        # From its end: what an earlier start wrote has been read.
        self._followers[job] = Follower(job.folder.console_log)

    def ended(self, outcome: Outcome) -> None:
        if (follower := self._followers.pop(outcome.job, None)) is not None:
            say(follower.lines())

    def note(self, text: str) -> None:
        say([text])

    def tick(self) -> None:
        say([line for follower in self._followers.values() for line in follower.lines()])

    def close(self) -> None:
        self.tick()


def say(lines: Sequence[str]) -> None:
    """Prints lines. Where nobody can take them, the runs go on: the lines are in each run's console.log."""
    if not lines:
        return
    try:
        print(*lines, sep="\n", flush=True)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EPIPE):
            raise
