"""Where runs execute. So far: in processes of this machine."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from merlin.config import Config

__all__ = ["start"]


def start(configs: "Sequence[Config]", results: Path, workers: int | None = None) -> int:
    """Trains all runs, each in its folder below `results`: begins it, goes on with it, or skips it.

    Args:
        configs: the runs.
        results: folder of all results; made if it is not there.
        workers: runs at one time; None takes as many as there are runs and cores.

    Returns:
        The exit code: 0 if all runs are finished, 1 if any failed or is held by somebody else, 130 if they
        were interrupted.

    Raises:
        MerlinError: the results cannot be written, or a folder holds a run with other parameters. Nothing was
            started then.
    """
    from merlin.launch.choose_view import make_view
    from merlin.launch.local import run_all, worker_command
    from merlin.launch.prepare import prepare
    from merlin.launch.summary import exit_code, explain_skipped, summarize
    from merlin.launch.views import say
    from merlin.machine import count_cores

    cores = count_cores()
    workers = max(1, min(workers or cores, len(configs)))
    jobs = prepare(configs, results, threads=max(1, cores // workers))
    say(explain_skipped(jobs))
    with make_view(jobs) as view:
        outcomes = run_all(jobs, workers, worker_command, view)
    say(summarize(outcomes))
    return exit_code(outcomes)
