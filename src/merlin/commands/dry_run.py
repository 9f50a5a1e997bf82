"""What would be trained: every run with its values, their origins, its environment, and the memory for its replay."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from merlin.commands.tables import console, heading, table
from merlin.config import Config
from merlin.experiment.file import shown
from merlin.yaml_text import in_words

_NUMBERED = {"experiment", "variant", "run", "run_count"}


def show_runs(
    configs: Sequence[Config], facts: Callable[[Config], tuple[Mapping[str, Any], int]] | None = None
) -> None:
    """Prints the runs by experiment: what is the same in all of them once, then per variant what differs.

    Args:
        configs: the runs.
        facts: gives a run's environment as it is in effect, and the bytes of its replay; asked of the environment
            and of `merlin.experience` if not given.
    """
    facts = facts or _facts
    out = console()
    for name, runs in _by(configs, "experiment").items():
        variants = _by(runs, "variant")
        out.print(heading(f"{name}: {_count(len(variants), 'variant')}, {_count(len(runs), 'run')}"))
        shared = _shared(runs)
        if len(variants) > 1:
            out.print(Text("\nthe same in every run that uses it", style="bold"))
            out.print(_values(shared, shared))
        for variant, copies in variants.items():
            config, numbers = copies[0], ", ".join(str(config.values["run"]) for config in copies)
            out.print(Text(f"\nvariant {variant}", style="bold"))
            environment, replay_bytes = facts(config)
            needed = f"{_size(replay_bytes)}{' each' if len(copies) > 1 else ''}"
            out.print(f"{'run' if len(copies) == 1 else 'runs'} {numbers}; replay: {needed}")
            out.print(Text(in_words(environment)))
            own = [key for key in config.values if key not in _NUMBERED and (len(variants) == 1 or key not in shared)]
            if own:
                out.print(_values(dict.fromkeys(own, config), own))
            if unused := [key for key in shared if key not in config.values]:
                out.print(Text(f"has no use for: {', '.join(unused)}", style="dim"))
        out.print()
    out.print(f"{_count(len(configs), 'run')} in all. Nothing was started.")


def _facts(config: Config) -> tuple[Mapping[str, Any], int]:
    from merlin.experience.memory import env_layout, replay_bytes

    return env_layout(config).spec, replay_bytes(config)


def _values(holders: Mapping[str, Config], names: Iterable[str]) -> Table:
    rows = []
    for name in names:
        origin = holders[name].origins.get(name, "default")
        style = "dim" if origin == "default" else ""
        rows.append([Text(cell, style=style) for cell in (name, shown(holders[name].values[name]), origin)])
    return table(("parameter", "value", "from"), rows)


def _shared(runs: Sequence[Config]) -> dict[str, Config]:
    """Returns the parameters that are alike wherever they are used, each with a run that has it."""
    holders: dict[str, Config] = {}
    differ = set(_NUMBERED)
    for run in runs:
        for name, value in run.values.items():
            first = holders.setdefault(name, run)
            if first.values[name] != value or first.origins.get(name) != run.origins.get(name):
                differ.add(name)
    return {name: holder for name, holder in holders.items() if name not in differ}


def _by(configs: Sequence[Config], key: str) -> dict[str, list[Config]]:
    groups: dict[str, list[Config]] = {}
    for config in configs:
        groups.setdefault(config.values[key], []).append(config)
    return groups


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _size(count: int) -> str:
    return f"{count:,} bytes ({count / 2**20:,.1f} MiB)"
