"""One run as the launcher sees it, and what became of it."""

from dataclasses import dataclass
from typing import Literal

from merlin.run_folder import RunFolder

Fate = Literal["finished", "skipped", "failed", "held", "interrupted"]
"""skipped: finished before; held: another live process has its folder; interrupted: can go on."""

EXIT_FINISHED = 0
EXIT_FAILED = 1
EXIT_INTERRUPTED = 3
EXIT_HELD = 4
"""Exit codes of a worker."""


@dataclass(frozen=True)
class Job:
    """A run with its folder in place.

    Attributes:
        folder: the run's folder; experiment.yaml is in it.
        experiment: name of the experiment.
        variant: name of the variant.
        run: number of the run.
        episodes: how many it is to have.
        finished: whether there is nothing left to do.
    """

    folder: RunFolder
    experiment: str
    variant: str
    run: int
    episodes: int
    finished: bool = False

    @property
    def label(self) -> str:
        """`run@variant`, as in the console lines."""
        return f"{self.run}@{self.variant}"


@dataclass(frozen=True)
class Outcome:
    """What became of a job, and why, in one line."""

    job: Job
    fate: Fate
    message: str = ""
