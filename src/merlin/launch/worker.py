"""Executes the run of one folder: `python -m merlin.launch.worker FOLDER`. Begins it, or goes on with it.

Exit codes: 0 finished, 1 failed, 3 interrupted (a new start goes on), 4 another live process holds the
folder.

The first SIGINT or SIGTERM lets the loop write a checkpoint and end; a second one ends the process at once,
which costs the work since the last checkpoint and nothing else. With `--parent PID` the process does not
outlive that one.
"""

import argparse
import errno
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from merlin.errors import MerlinError
from merlin.launch.job import EXIT_FAILED, EXIT_FINISHED, EXIT_HELD, EXIT_INTERRUPTED
from merlin.launch.orphan import die_with
from merlin.launch.stop import Interrupted, Stop
from merlin.machine import keep_freed_memory
from merlin.run_folder import HeldError, RunFolder, explain, write_atomically
from merlin.training.console import Console
from merlin.training.status import conclude, running

_OF_THE_WORLD = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO, errno.EISDIR)
"""Errors of files that are nobody's fault who wrote the program."""

Train = Callable[[RunFolder, Callable[[], bool]], bool]
"""Trains the run of a folder, asks between steps whether to stop, returns whether it came to its end."""

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")

# How often a thread looks for work before it sleeps: some microseconds. By default GNU's OpenMP, which PyTorch uses,
# looks for milliseconds, and on a machine that has other work to do the threads of a layer then wait for each other.
_SPIN = {"GOMP_SPINCOUNT": "5000"}


def train(folder: RunFolder, stop: Callable[[], bool]) -> bool:
    """Trains with merlin's own loop; see `Train`."""
    from merlin.yaml_text import parse_value

    # The numeric libraries read these when they are loaded, and all that follows may load them.
    values = parse_value(folder.experiment_yaml.read_text(encoding="utf-8"))
    threads = values.get("threads") if isinstance(values, dict) else None
    if isinstance(threads, int):
        os.environ.update(dict.fromkeys(_THREAD_VARIABLES, str(threads)) | _SPIN)
    keep_freed_memory()
    from merlin.experiment import load_run

    config = load_run(folder.experiment_yaml)
    import torch

    from merlin.training.run import run

    if config.values["threads"] is not None:
        torch.set_num_threads(config.values["threads"])
    return run(folder, config, stop)


def execute(folder: RunFolder, train: Train = train) -> int:
    """Trains the run of a folder in this process and returns the exit code; how it ends is written there.

    Args:
        folder: the run's folder.
        train: what trains.
    """
    stop = Stop()
    try:
        stop.listen()
        with folder.lock():
            return _execute_held(folder, train, stop)
    except Interrupted:
        return EXIT_INTERRUPTED
    except MerlinError as error:
        # The folder is not ours to write into, or cannot be written.
        print(error, file=sys.stderr)
        return EXIT_HELD if isinstance(error, HeldError) else EXIT_FAILED


def _execute_held(folder: RunFolder, train: Train, stop: Stop) -> int:
    try:
        if folder.finished:
            return EXIT_FINISHED
        folder.error_log.unlink(missing_ok=True)
        folder.remove_left_overs()
        folder.write_status(folder.read_status() | running())
        finished = train(folder, stop)
        stop.deafen()
        conclude(folder, "finished" if finished else "interrupted")
        _tell(folder, "finished" if finished else "interrupted: checkpoint saved, a new start goes on")
    except BaseException as error:
        stop.deafen()
        if isinstance(error, Interrupted) or stop.early:
            _attempt(lambda: conclude(folder, "interrupted"))
            _attempt(lambda: _tell(folder, "interrupted before training began, a new start goes on"))
            return EXIT_INTERRUPTED
        _write_failure(folder, error)
        return EXIT_FAILED
    if not finished:
        return EXIT_INTERRUPTED
    # Only now: without its frames the last checkpoint would be of no use.
    folder.remove_what_resumes()
    return EXIT_FINISHED


def _write_failure(folder: RunFolder, error: BaseException) -> None:
    """Writes down why a run failed. What a full disk refuses, standard error has."""
    if isinstance(error, OSError) and error.errno in _OF_THE_WORLD:
        error = explain(error, Path(error.filename) if isinstance(error.filename, str) else folder.path)
    if isinstance(error, MerlinError):
        message = details = str(error)
    else:
        message = traceback.format_exception_only(error)[-1].strip()
        details = "".join(traceback.format_exception(error))
    print(details, file=sys.stderr, flush=True)
    _attempt(lambda: write_atomically(folder.error_log, (details.rstrip() + "\n").encode()))
    _attempt(lambda: conclude(folder, "failed", " ".join(message.split())))
    _attempt(lambda: _tell(folder, f"failed: {message}"))


def _tell(folder: RunFolder, text: str) -> None:
    experiment, variant, run = folder.path.absolute().parts[-3:]
    console = Console(folder.console_log, experiment, variant, run)
    console.event(text)
    console.close()


def _attempt(action: Callable[[], None]) -> None:
    try:
        action()
    except (OSError, MerlinError):
        pass  # the reason that matters is on standard error already


def main() -> int:
    """Reads the arguments and executes one run."""
    parser = argparse.ArgumentParser(prog="python -m merlin.launch.worker", description="Executes the run of a folder.")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the run's folder")
    parser.add_argument("--parent", type=int, metavar="PID", help="do not outlive this process")
    options = parser.parse_args()
    if options.parent is not None:
        die_with(options.parent)
    return execute(RunFolder(options.folder))


if __name__ == "__main__":
    sys.exit(main())
