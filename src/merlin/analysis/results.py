"""Folders → frames: find the runs below a folder and read their logs, finished or not.

A log may be read while its run is writing it. Nothing here writes, locks or waits.
"""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import yaml

from merlin.errors import InputError
from merlin.run_folder import RunFolder

COLUMNS = ("episode", "epsilon", "reward", "steps")
DEFAULT_TAIL = 2000  # episodes, where experiment.yaml does not say

# libyaml's loader is ten times as fast; a build of PyYAML without it still works.
_YamlLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class RunResult:
    """What one run's folder holds for the analysis.

    `log` has one row per episode that was written completely, ordered by `episode` and with the columns of
    `COLUMNS` as float64; NaN where the field was empty or NaN. It has no rows if there is no readable log.
    """

    STATES: ClassVar = ("finished", "running", "interrupted", "failed", "missing")

    variant: str
    run: str
    state: str  # "finished", "running", "interrupted", "failed" or "waiting"
    log: pd.DataFrame
    tail: int  # episodes
    planned: int | None  # episodes that the run is meant to have
    message: str = ""  # why the run failed, in the words of its status
    problem: str = ""  # why the log, or a part of the folder, cannot be used

    @property
    def counts_as(self) -> str:
        """Which of `STATES` the run is counted under. Missing: it should have episodes, and has none."""
        if self.state == "waiting" or (self.state == "finished" and not len(self.log)):
            return "missing"
        return self.state

    @property
    def tail_log(self) -> pd.DataFrame:
        """The last `tail` episodes, or all where the run has fewer."""
        return self.log.iloc[-self.tail :]


def find_experiments(path: Path) -> list[Path]:
    """The folders of the experiments that `path` belongs to or holds.

    path: the folder of several experiments (`results`), of one (`results/<experiment>`), of a variant or of a
    run. The last two give the whole experiment, since a variant says little without the others.
    Raises InputError where there is no such folder or no run in it.
    """
    expected = (
        "Expected the folder of one experiment (results/<experiment>), of several (results), or of a variant "
        "or run inside; a run's folder is results/<experiment>/<variant>/<run> and holds experiment.yaml"
    )
    if not path.exists():
        raise InputError(f"{path}: no such folder. {expected}.")
    if not path.is_dir():
        raise InputError(f"{path}: not a folder. {expected}.")
    whole = path.resolve()
    if is_run(whole):
        return [whole.parent.parent]
    if any(map(is_run, _folders(whole))):
        return [whole.parent]
    if holds_runs(path):
        return [path]
    experiments = [folder for folder in _folders(path) if holds_runs(folder)]
    if not experiments:
        raise InputError(f"{path}: no runs in this folder. {expected}.")
    return experiments


def is_run(folder: Path) -> bool:
    """Whether the folder is that of a run, however little it holds yet."""
    run = RunFolder(folder)
    return any(file.is_file() for file in (run.experiment_yaml, run.train_log, run.status_json))


def holds_runs(experiment: Path) -> bool:
    return any(is_run(run) for variant in _folders(experiment) for run in _folders(variant))


def read_experiment(experiment: Path) -> dict[str, list[RunResult]]:
    """All runs of an experiment by variant, the variants by name and the runs by number."""
    results = {}
    for variant in _folders(experiment):
        runs = [read_run(folder) for folder in _folders(variant) if is_run(folder)]
        if runs:
            results[variant.name] = runs
    return results


def read_run(path: Path) -> RunResult:
    """Read one run. What is absent, cut off or damaged is said in the result; nothing is raised for it."""
    folder = RunFolder(path)
    state = folder.state()  # before the log: a run that ends in between is then "running", with a whole log
    problems = []
    try:
        log = read_log(folder.train_log)
    except (OSError, ValueError) as error:
        log = _empty_log()
        problems.append(f"{folder.train_log.name} cannot be used: {error}")
    try:
        parameters = _read_parameters(folder.experiment_yaml)
    except (OSError, ValueError, yaml.YAMLError) as error:
        parameters = {}
        problems.append(f"{folder.experiment_yaml.name} cannot be used, tail is taken as {DEFAULT_TAIL}: {error}")
    return RunResult(
        variant=path.parent.name,
        run=path.name,
        state=state,
        log=log,
        tail=parameters.get("tail", DEFAULT_TAIL),
        planned=parameters.get("episodes"),
        message=str(folder.read_status().get("message") or ""),
        problem="; ".join(problems),
    )


def read_log(file: Path) -> pd.DataFrame:
    """The complete lines of a train_log.csv; no rows where it does not exist or is empty.

    A line without its line break is being written, or was cut off, and is left out: "-2" may be half of
    "-21". Raises ValueError where the rest is no such log.
    """
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return _empty_log()
    content = content[: content.rfind(b"\n") + 1]
    if not content.strip():
        return _empty_log()
    log = pd.read_csv(io.BytesIO(content), usecols=list(COLUMNS), dtype=np.float64)
    log = log[list(COLUMNS)]
    episodes = log["episode"].to_numpy()
    if not np.isfinite(episodes).all():
        raise ValueError("a line has no episode number")
    if (np.diff(episodes) <= 0).any():
        # Pieces of a resumed run that overlap: the later one is what the run went on with.
        log = log.drop_duplicates("episode", keep="last").sort_values("episode", ignore_index=True)
    return log


def _empty_log() -> pd.DataFrame:
    return pd.DataFrame({name: np.empty(0) for name in COLUMNS})


def _read_parameters(file: Path) -> dict[str, int]:
    """`tail` and `episodes` of an experiment.yaml, as far as it has them."""
    with file.open("rb") as stream:
        values = yaml.load(stream, Loader=_YamlLoader)
    if not isinstance(values, dict):
        raise ValueError("it is not a mapping of parameters")
    for name in ("tail", "episodes"):
        if name in values and (type(values[name]) is not int or values[name] < 1):
            raise ValueError(f"{name}: {values[name]!r} is not a positive whole number")
    return {name: values[name] for name in ("tail", "episodes") if name in values}


def _folders(path: Path) -> list[Path]:
    """The folders inside, hidden ones left out: numbers in their order, then names in theirs."""

    def key(folder: Path) -> tuple[bool, int, str]:
        number = folder.name.isdecimal()
        return not number, len(folder.name) if number else 0, folder.name

    inside = [folder for folder in path.iterdir() if folder.is_dir() and not folder.name.startswith(".")]
    return sorted(inside, key=key)
