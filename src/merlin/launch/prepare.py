"""Folders for runs: what is there is compared, what is missing is made, all checks come first."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from merlin.config import Config
from merlin.errors import InputError, MerlinError
from merlin.launch.job import Job
from merlin.run_folder import RunFolder, explain, write_atomically
from merlin.yaml_text import YamlFault, parse_value

_MACHINE_DEPENDENT = ("threads", "device")
"""Parameters whose default the first start fills in for good: another machine is no other experiment."""


def prepare(configs: Sequence[Config], results: Path, threads: int) -> list[Job]:
    """Makes the folders of all runs that have none yet.

    Args:
        configs: the runs.
        results: folder of all results.
        threads: processor threads of each run that does not set its own. Written into its experiment.yaml
            when it starts for the first time and kept from then on, since results depend on it in their last
            bits.

    Returns:
        a job for each run, in the same order.

    Raises:
        InputError: folders hold runs with other parameters; the message shows every difference. Nothing was
            made.
        MerlinError: the folders cannot be made.
    """
    folders = [RunFolder(folder_of(config, results)) for config in configs]
    _refuse_differences(list(zip(folders, configs, strict=True)))
    jobs = []
    for folder, config in zip(folders, configs, strict=True):
        config = config.with_values(**_filled_in(config, threads))
        if _make(folder, config.to_yaml()):
            finished = False
        else:
            # Perhaps made this very moment by somebody else, with other parameters.
            _refuse_differences([(folder, config)])
            finished = folder.state() == "finished"
            if not finished:
                _follow_imports(folder, config)
        if finished:
            # Left over if the worker was killed between its last two lines.
            folder.remove_what_resumes()
        values = config.values
        jobs.append(Job(folder, values["experiment"], values["variant"], values["run"], values["episodes"], finished))
    return jobs


def _filled_in(config: Config, threads: int) -> dict[str, Any]:
    """Returns what the first start decides for good, since the last bits of the results depend on it."""
    filled = {}
    if config.values.get("threads") is None:
        filled["threads"] = threads
    if config.values.get("device") == "auto":
        from merlin.training.assembly import find_device

        filled["device"] = find_device("auto").type
    return filled


def folder_of(config: Config, results: Path) -> Path:
    """Returns where a run lies: `results/<experiment>/<variant>/<run>`."""
    values = config.values
    return results / values["experiment"] / values["variant"] / str(values["run"])


def differences(config: Config, before: dict[str, Any]) -> list[str]:
    """Returns a line for each parameter that has another value than before.

    Args:
        config: the run as it is wanted now.
        before: the values in the folder's experiment.yaml.
    """
    lines = []
    for name in dict.fromkeys([*config.values, *before]):
        default = config.origins.get(name, "default") == "default"
        if default and (name in _MACHINE_DEPENDENT or (name in config.values and name not in before)):
            # The first start filled it in; or it is younger than the folder and stays at what was before.
            continue
        if name == "imports" and _file_names(before.get(name)) == _file_names(config.values.get(name)):
            continue  # the experiment lies in another place now
        there = repr(before[name]) if name in before else "not set"
        now = repr(config.values[name]) if name in config.values else "not set"
        if there != now and before.get(name) != config.values.get(name):
            lines.append(f"{name}: {there} there, {now} now")
    return lines


def _refuse_differences(runs: list[tuple[RunFolder, Config]]) -> None:
    refusals = []
    for folder, config in runs:
        if not folder.path.exists():
            continue
        before = _read_parameters(folder)
        if before is None:
            refusals.append(f"{folder.path} is there but holds no run: it has no {folder.experiment_yaml.name}")
        elif lines := differences(config, before):
            refusals.append("\n".join([f"{folder.path} holds a run with other parameters:", *_indented(lines)]))
    if refusals:
        advice = (
            "Nothing was started. Give the changed experiment or variant another name, choose another folder "
            "with --results, or delete these folders to train them anew."
        )
        raise InputError("\n".join([*refusals, advice]))


def _follow_imports(folder: RunFolder, config: Config) -> None:
    """Writes into experiment.yaml where the files that it imports lie now, if they were moved."""
    before = _read_parameters(folder) or {}
    if before.get("imports") == config.values.get("imports"):
        return
    kept = {name: before[name] for name in _MACHINE_DEPENDENT if name in before}
    try:
        write_atomically(folder.experiment_yaml, config.with_values(**kept).to_yaml().encode())
    except OSError as error:
        raise explain(error, folder.experiment_yaml) from None


def _file_names(imports: Any) -> list[str] | None:
    return [Path(path).name for path in imports] if isinstance(imports, list) else None


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _read_parameters(folder: RunFolder) -> dict[str, Any] | None:
    try:
        text = folder.experiment_yaml.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise MerlinError(f"cannot read {folder.experiment_yaml}: {error}") from None
    try:
        values = parse_value(text)
    except YamlFault as fault:
        raise MerlinError(f"{folder.experiment_yaml}:{fault.line}: {fault.message}") from None
    if not isinstance(values, dict):
        raise MerlinError(f"{folder.experiment_yaml} is damaged: it holds no parameters")
    return values


def _make(folder: RunFolder, yaml: str) -> bool:
    """Makes a run's folder whole aside and renames it into place. Returns False if there is one already."""
    if folder.path.exists():
        return False
    aside = folder.path.with_name(f".{folder.path.name}.{os.getpid()}.tmp")
    try:
        aside.mkdir(parents=True, exist_ok=True)
        (aside / folder.experiment_yaml.name).write_text(yaml, encoding="utf-8")
        os.rename(aside, folder.path)
    except OSError as error:
        shutil.rmtree(aside, ignore_errors=True)
        if folder.experiment_yaml.exists():
            return False
        raise explain(error, folder.path) from None
    return True
