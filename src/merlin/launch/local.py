"""Runs as processes of this machine, so many at a time, each on its own: one that fails stops no other."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import final

from merlin.errors import MerlinError
from merlin.launch.job import EXIT_FINISHED, EXIT_HELD, EXIT_INTERRUPTED, Job, Outcome
from merlin.launch.signals import Signals
from merlin.launch.views import View
from merlin.run_folder import RunFolder, write_atomically
from merlin.training.status import conclude

_POLL_SECONDS = 0.1
_LINES_KEPT = 200


def worker_command(folder: RunFolder) -> list[str]:
    """Returns the command that executes the run of a folder."""
    return [sys.executable, "-m", "merlin.launch.worker", str(folder.path), "--parent", str(os.getpid())]


def run_all(jobs: Sequence[Job], workers: int, command: Callable[[RunFolder], list[str]], view: View) -> list[Outcome]:
    """Executes all runs that are not finished and returns what became of each, in their order.

    The first SIGINT, SIGTERM or SIGHUP is passed on to the workers, which write a checkpoint and end; a
    second one makes them end at once, a third kills them. Call it from the main thread.

    Args:
        jobs: the runs.
        workers: how many are executed at a time.
        command: gives the command that executes the run of a folder (see `worker_command`).
        view: is told of everything.
    """
    outcomes = {job: Outcome(job, "skipped") for job in jobs if job.finished}
    waiting = deque(job for job in jobs if not job.finished)
    working: list[Worker] = []
    passed_on = 0
    with Signals() as signals:
        try:
            while waiting or working:
                if signals.count > passed_on:
                    passed_on = signals.count
                    _pass_on(passed_on, working, view)
                    outcomes.update((job, Outcome(job, "interrupted", "not begun")) for job in waiting)
                    waiting.clear()
                while waiting and len(working) < workers:
                    job = waiting.popleft()
                    view.started(job)
                    working.append(Worker(job, command(job.folder)))
                for worker in [worker for worker in working if worker.ended]:
                    working.remove(worker)
                    outcome = outcomes[worker.job] = worker.outcome(interrupted=passed_on > 0)
                    view.ended(outcome)
                view.tick()
                time.sleep(_POLL_SECONDS)
        finally:
            for worker in working:  # only if this process itself failed
                worker.kill()
    return [outcomes[job] for job in jobs]


@final
class Worker:
    """A process that executes one run, in a session of its own: Ctrl-C on the terminal does not reach it."""

    def __init__(self, job: Job, command: list[str]):
        self.job = job
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
            errors="replace",
        )
        # A worker has little to say; its last words are kept for the case that it cannot write them down.
        self._words: deque[str] = deque(maxlen=_LINES_KEPT)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def send(self, number: int) -> None:
        """Sends a signal to the worker and to the processes that it started."""
        if not self.ended:
            try:
                os.killpg(self._process.pid, number)
            except ProcessLookupError:
                pass

    def kill(self) -> None:
        """Ends the worker at once."""
        self.send(signal.SIGKILL)
        self._process.wait()

    def outcome(self, interrupted: bool) -> Outcome:
        """Returns what became of the run, once the process has ended.

        Args:
            interrupted: whether the workers were told to end.
        """
        self._listener.join(timeout=1.0)
        code, last = self._process.wait(), "".join(self._words).strip()
        folder = self.job.folder
        if code == EXIT_FINISHED:
            return Outcome(self.job, "finished")
        if code == EXIT_INTERRUPTED or (interrupted and code < 0):
            return Outcome(self.job, "interrupted")
        if code == EXIT_HELD:
            return Outcome(self.job, "held", last)
        if folder.error_log.exists() and folder.read_status().get("state") == "failed":
            return Outcome(self.job, "failed", folder.read_status().get("message", ""))
        message = _describe(code) if code < 0 else (last.splitlines() or [_describe(code)])[-1]
        _write_for_the_dead(folder, message, f"{_describe(code)}\n{last}\n")
        return Outcome(self.job, "failed", message)

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            self._words.extend(pipe)


def _pass_on(count: int, working: Sequence[Worker], view: View) -> None:
    if working:
        view.note(
            "stopping: the runs write their checkpoints (press Ctrl-C again to end them at once)"
            if count == 1
            else "ending the runs at once; they will go on from their last checkpoints"
        )
    for worker in working:
        worker.send(signal.SIGTERM if count <= 2 else signal.SIGKILL)


def _write_for_the_dead(folder: RunFolder, message: str, details: str) -> None:
    """Writes down why a worker died that could not do it itself."""
    try:
        with folder.lock():
            write_atomically(folder.error_log, details.encode())
            conclude(folder, "failed", message)
    except (OSError, MerlinError):
        pass  # the summary shows the message


def _describe(code: int) -> str:
    if code >= 0:
        return f"the worker ended with exit code {code} and said nothing"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hints = {
        "SIGKILL": "; perhaps the machine ran out of memory",
        "SIGBUS": "; perhaps the disk is full",
    }
    return f"the worker was killed by {name}{hints.get(name, '')}"
