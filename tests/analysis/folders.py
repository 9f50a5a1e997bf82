"""Writes folders as training leaves them, for the tests of the analysis."""

import json
from collections.abc import Sequence
from pathlib import Path

HEADER = (
    "episode,env_steps,frames,updates,epsilon,reward,learning_reward,mean_loss,mean_q,steps,seconds,steps_per_second"
)


def log_text(rewards: Sequence[object], steps: Sequence[int] | None = None, epsilons: Sequence[object] = ()) -> str:
    """A train_log.csv with the given rewards; epsilon falls from 1 by 0.01 to 0.1 unless it is given."""
    lines = [HEADER]
    total = 0
    for index, reward in enumerate(rewards):
        length = steps[index] if steps is not None else 10
        total += length
        epsilon = epsilons[index] if epsilons else max(0.1, 1 - 0.01 * index)
        lines.append(f"{index + 1},{total},{total * 4},,{epsilon},{reward},{reward},,,{length},0.5,{length / 0.5}")
    return "\n".join(lines) + "\n"


def write_run(
    experiment: Path,
    variant: str,
    run: int | str = 0,
    rewards: Sequence[object] | None = (1.0, 2.0, 3.0),
    state: str | None = "finished",
    message: str = "",
    tail: int = 2000,
    log: str | None = None,
    **columns: Sequence,
) -> Path:
    """One run's folder. rewards and log None: no log. state None: no status.json (the run waits)."""
    folder = experiment / variant / str(run)
    folder.mkdir(parents=True)
    (folder / "experiment.yaml").write_text(
        f"# every parameter\nexperiment: {experiment.name}\nvariant: {variant!r}\nrun: {run}\n"
        f"episodes: 100\ntail: {tail}\nalpha: 5e-6\n"
    )
    if log is None and rewards is not None:
        log = log_text(rewards, **columns)
    if log is not None:
        (folder / "train_log.csv").write_text(log)
    if state is not None:
        (folder / "status.json").write_text(json.dumps({"state": state, "message": message}))
    return folder
