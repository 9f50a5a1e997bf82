"""Executes the run of one folder: `python -m merlin.launch.worker FOLDER`. Begins it, or goes on with it.

Exit codes: 0 finished, 1 failed, 3 interrupted (a new start goes on), 4 another live process holds the folder.

The first SIGINT or SIGTERM lets the loop write a checkpoint and end; a second one ends the process at once, which
costs the work since the last checkpoint and nothing else. With `--parent PID` the process does not outlive that one.
"""

import argparse
import contextlib
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, final

from merlin.errors import MerlinError
from merlin.launch.job import EXIT_FAILED, EXIT_FINISHED, EXIT_HELD, EXIT_INTERRUPTED
from merlin.launch.orphan import die_with
from merlin.run_folder import RunFolder, explain, write_atomically

if TYPE_CHECKING:
    from merlin.config import Config

Run = Callable[[RunFolder, "Config", Callable[[], bool]], bool]
"""What `merlin.training.run.run` is."""


class Interrupted(BaseException):
    """A signal came before the loop could be asked to stop: there is nothing new to keep."""


@final
class Stop:
    """Whether the run is to end; set by SIGINT and SIGTERM."""

    def __init__(self) -> None:
        self._signals = 0
        self._asked = False

    def __call__(self) -> bool:
        """Says whether the run is to end. From the first time on, somebody is there who asks."""
        self._asked = True
        return self._signals > 0

    def listen(self) -> None:
        """Takes over the signals."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def deafen(self) -> None:
        """From now on signals are too late: the last lines are being written."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._signals += 1
        if self._signals > 1:
            os._exit(EXIT_INTERRUPTED)
        if not self._asked:
            raise Interrupted


def execute(folder: RunFolder, run: Run | None = None) -> int:
    """Trains the run of a folder in this process and returns the exit code; every way to end is written down there.

    Args:
        folder: the run's folder.
        run: what trains; merlin's own if not given.
    """
    stop = Stop()
    try:
        stop.listen()
        with folder.lock():
            return _execute_held(folder, run, stop)
    except Interrupted:
        return EXIT_INTERRUPTED
    except MerlinError as error:
        # Not ours to write into.
        print(error, file=sys.stderr)
        return EXIT_HELD if folder.held() else EXIT_FAILED


def _execute_held(folder: RunFolder, run: Run | None, stop: Stop) -> int:
    try:
        folder.error_log.unlink(missing_ok=True)
        if folder.state_before_lock() == "finished":
            return EXIT_FINISHED
        finished = _train(folder, run, stop)
        stop.deafen()
    except Interrupted:
        stop.deafen()
        finished = False
    except BaseException as error:
        stop.deafen()
        _write_failure(folder, error)
        return EXIT_FAILED
    from merlin.training.status import conclude

    conclude(folder, "finished" if finished else "interrupted")
    if finished:
        # Only now: without its frames the last checkpoint would be of no use.
        shutil.rmtree(folder.replay, ignore_errors=True)
    return EXIT_FINISHED if finished else EXIT_INTERRUPTED
