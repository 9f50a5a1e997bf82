"""What is said about the runs before the first starts and after the last has ended."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from merlin.launch.job import Job, Outcome

_INTERRUPTED = 130
"""What shells give for a command that Ctrl-C ended."""

_NAMES = {
    "finished": "finished",
    "skipped": "finished before",
    "failed": "failed",
    "held": "held by others",
    "interrupted": "interrupted",
}


def explain_skipped(jobs: Sequence[Job]) -> list[str]:
    """Returns a line for each variant that has finished runs already."""
    runs: dict[tuple[str, str], list[int]] = {}
    for job in jobs:
        if job.finished:
            runs.setdefault((job.experiment, job.variant), []).append(job.run)
    return [
        f"{experiment} | {variant} | finished already, skipped: run {', '.join(map(str, numbers))}"
        for (experiment, variant), numbers in runs.items()
    ]


def summarize(outcomes: Sequence[Outcome]) -> list[str]:
    """Returns the lines that end a training: how many runs ended how, what failed and where it says why."""
    fates = [outcome.fate for outcome in outcomes]
    counts = ", ".join(f"{fates.count(fate)} {name}" for fate, name in _NAMES.items() if fate in fates)
    lines = [f"{len(outcomes)} run{'s' if len(outcomes) != 1 else ''}: {counts or 'nothing to do'}"]
    for outcome in outcomes:
        folder = outcome.job.folder
        if outcome.fate == "failed":
            lines.append(f"failed: {folder.path}: {outcome.message}")
            if folder.error_log.exists():
                lines.append(f"    see {folder.error_log}")
        elif outcome.fate == "held":
            lines.append(f"held: {outcome.message}")
    if "interrupted" in fates:
        lines.append(f"To go on: {_again()}")
    elif "failed" in fates or "held" in fates:
        lines.append(f"To try again what is not finished: {_again()}")
    return lines


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """Returns 130 if runs were interrupted, 1 if any failed or is held by somebody else, otherwise 0."""
    fates = {outcome.fate for outcome in outcomes}
    if "interrupted" in fates:
        return _INTERRUPTED
    return 1 if fates & {"failed", "held"} else 0


def _again() -> str:
    name = Path(sys.argv[0]).name
    if name not in ("merlin", "train"):
        return "start the same command again"
    return shlex.join([name, *sys.argv[1:]])
