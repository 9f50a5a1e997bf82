"""Windows of work on request.

A contestant is a process of its own that prepares itself, waits, works for a number of agent steps when told
to, reports how long that took, and waits again. So contestants can take turns on an otherwise idle machine,
and slow drifts of the machine (other tenants, heat) fall on all alike.

Parent and contestant exchange lines of JSON: the parent writes `{"steps": 800}` on the contestant's standard
input, the contestant answers with a report on its standard output. What its libraries print goes to standard
error.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil

Report = dict[str, Any]
Work = Callable[[int], Report]


def serve(prepare: Callable[[dict[str, Any]], tuple[Work, Report]]) -> None:
    """The contestant's main function. The settings are the JSON object in `sys.argv[1]`.

    `prepare(settings)` gives the function that works for a number of agent steps and returns what it wants to
    report, and a report on the preparation. Seconds, steps and resident bytes are added here to each report.
    """
    settings = json.loads(sys.argv[1])
    if settings.get("cpus") is not None:
        os.sched_setaffinity(0, settings["cpus"])
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)

    work, ready = prepare(settings)
    print(json.dumps({**ready, "resident_bytes": psutil.Process().memory_info().rss}), file=answers)
    for line in sys.stdin:
        steps = json.loads(line)["steps"]
        began = time.perf_counter()
        report = work(steps)
        seconds = time.perf_counter() - began
        resident = psutil.Process().memory_info().rss
        print(
            json.dumps({"steps": steps, "seconds": seconds, "resident_bytes": resident} | report),
            file=answers,
        )


class Contestant:
    """The parent's end. Use it in a `with` statement; leaving that ends the process."""

    def __init__(self, script: str, settings: dict[str, Any]):
        """`script` is a file beside this one that calls `serve`. Returns when the contestant is prepared."""
        self.name = settings.get("name", script)
        path = Path(__file__).with_name(script)
        self._process = subprocess.Popen(
            [sys.executable, str(path), json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.ready = self.finish()

    def start(self, steps: int) -> None:
        """Lets the contestant work for `steps` agent steps. Returns at once."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"steps": steps}) + "\n")
        self._process.stdin.flush()

    def finish(self) -> Report:
        """Waits for the report on what was started last."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the contestant {self.name!r} ended with exit code {self._process.wait()}")
        return json.loads(line)

    def window(self, steps: int) -> Report:
        self.start(steps)
        return self.finish()

    def steps_for(self, seconds: float, probe: int = 256, multiple: int = 32) -> int:
        """The multiple of `multiple` steps that takes about `seconds`, after trying `probe` steps."""
        self.window(probe)
        rate = probe / self.window(probe)["seconds"]
        return max(multiple, round(rate * seconds / multiple) * multiple)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        if kind is not None:
            self._process.terminate()
        self._process.wait()
        self._process.stdout.close()


def alternate(contestants: list[Contestant], steps: list[int], rounds: int) -> list[list[Report]]:
    """Lets the contestants take turns, one window each in a round: reports[contestant][round]."""
    reports: list[list[Report]] = [[] for _ in contestants]
    for number in range(rounds):
        for contestant, count, seen in zip(contestants, steps, reports, strict=True):
            seen.append(contestant.window(count))
        rates = ", ".join(
            f"{contestant.name} {rate(seen[-1]):.0f}" for contestant, seen in zip(contestants, reports, strict=True)
        )
        print(f"  round {number + 1} of {rounds}, agent steps per second: {rates}", flush=True)
    return reports


def rate(report: Report) -> float:
    """Agent steps per second."""
    return report["steps"] / report["seconds"]
