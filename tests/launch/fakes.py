"""Runs, jobs and a view for the tests of the launcher."""

import os
import sys
import time
from pathlib import Path

from merlin.config import Config, RunParameters
from merlin.launch.job import Job, Outcome
from merlin.launch.prepare import prepare
from merlin.launch.views import View


def config(variant="finish", run=0, origins=None, **values) -> Config:
    given = {"experiment": "fake", "variant": variant, "run": run, "run_count": 1, "episodes": 4} | values
    return Config(
        RunParameters(**given).model_dump(mode="json"),
        origins or dict.fromkeys(given, "file"),
        (RunParameters,),
    )


def command(folder) -> list[str]:
    return [
        sys.executable,
        str(Path(__file__).with_name("fake_worker.py")),
        str(folder.path),
        str(os.getpid()),
    ]


def jobs(results: Path, *variants: str) -> list[Job]:
    return prepare([config(variant) for variant in variants], results, threads=1)


def starts(folder) -> int:
    path = folder.path / "starts"
    return path.read_text().count("\n") if path.exists() else 0


def wait_until(condition, seconds=20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


class SilentView(View):
    def __init__(self):
        self.events = []

    def started(self, job: Job) -> None:
        self.events.append(("started", job.variant))

    def ended(self, outcome: Outcome) -> None:
        self.events.append(("ended", outcome.job.variant))

    def note(self, text: str) -> None:
        self.events.append(("note", text))

    def tick(self) -> None:
        pass

    def close(self) -> None:
        pass
