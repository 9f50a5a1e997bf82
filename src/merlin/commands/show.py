"""What can be written in an experiment file, printed from the declarations themselves."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from merlin.commands.tables import console, heading, table
from merlin.config import OTHER_NAMES, Parameters, RunParameters, meaning, plain
from merlin.errors import InputError
from merlin.experiment.components import Registries
from merlin.experiment.declaration import allowed
from merlin.experiment.extensions import load_extensions
from merlin.experiment.file import shown
from merlin.registry import Entry, Registry, nearest

Declared = tuple[type[Parameters], str]
"""A parameter: the class that declares it, and its name."""

Section = tuple[str, list[Declared]]
"""Parameters under a title that says what has them."""


def show(what: str, name: str | None, imports: Sequence[str] = (), registries: Registries | None = None) -> None:
    """Prints parameters, agents, nets or environments.

    Args:
        what: "parameters", "agents", "nets" or "envs".
        name: print only this one, in full.
        imports: files with classes of the user's own, to be run before.
        registries: what there is; merlin's own if not given.

    Raises:
        InputError: if there is nothing of that name.
    """
    registries = registries or Registries.default()
    load_extensions(imports, Path.cwd())
    if what == "parameters":
        _one_parameter(registries, name) if name else _all_parameters(registries)
        return
    registry: Registry = getattr(registries, what)
    if name:
        _one_entry(registries, registry, registry.find(name))
    else:
        _all_entries(what, registry)


def _all_entries(what: str, registry: Registry) -> None:
    rows = [(entry.name, _summary(entry.cls), _own_defaults(entry)) for entry in registry]
    rows += [(title, _summary(family.cls), "") for title, family in registry.families.items()]
    columns = ("name", "what it is", "defaults of its own")
    if not any(own for _, _, own in rows):
        columns, rows = columns[:2], [row[:2] for row in rows]
    out = console()
    out.print(table(columns, rows))
    for title, family in registry.families.items():
        out.print(Text(f"\n{title}: {', '.join(family.names())}"))
    out.print(f"\n`merlin show {what} NAME` prints the parameters of one of them.")


def _one_entry(registries: Registries, registry: Registry, entry: Entry) -> None:
    out = console()
    out.print(heading(f"{registry.kind} {entry.name}"))
    out.print(Text(inspect.getdoc(entry.cls) or ""))
    models = [entry.cls.Parameters, *(entry.cls.parts() if registry is registries.agents else ())]
    declared = [(model, name) for model in models for name in _own(model)]
    out.print()
    out.print(_table(declared, entry.defaults) if declared else "It has no parameters of its own.")


def _all_parameters(registries: Registries) -> None:
    out = console()
    for title, declared in sections(registries):
        out.print(heading(title))
        out.print(_table(declared, {}))
        out.print()
    others = ", ".join(f"{other} (for {name})" for other, name in OTHER_NAMES.items())
    out.print(f"Other names that are understood: {others}.")
    out.print("A name such as double_dqn may have defaults of its own: `merlin show agents double_dqn`.")


def _one_parameter(registries: Registries, name: str) -> None:
    found = {(model, each): title for title, declared in sections(registries) for model, each in declared}
    wanted = OTHER_NAMES.get(name, name)
    matches = [(title, key) for key, title in found.items() if key[1] == wanted]
    if not matches:
        near = nearest(name, {each for _, each in found})
        hint = f" Did you mean {near}?" if near else " `merlin show parameters` lists them all."
        raise InputError(f"There is no parameter '{name}'.{hint}")
    out = console()
    for title, key in matches:
        out.print(heading(title))
        out.print(_table([key], {}))
    presets = [
        (entry.name, shown(plain(entry.defaults[wanted])))
        for _, registry in registries.named()
        for entry in registry
        if wanted in entry.defaults
    ]
    if presets:
        out.print()
        out.print(table(("name", "its own default"), presets))


def sections(registries: Registries) -> list[Section]:
    """Returns all parameters under titles that say what has them, each with its declaration."""
    agents = [(entry.name, entry.cls) for entry in registries.agents]
    parts = [(entry.name, part) for entry in registries.agents for part in entry.cls.parts()]
    found: list[Section] = [("every run", [(RunParameters, name) for name in RunParameters.model_fields])]
    found += _grouped("agent", [(name, cls.Parameters) for name, cls in agents] + parts)
    for registry in (registries.nets, registries.envs):
        found += _grouped(registry.kind, [(title, cls.Parameters) for title, cls in registry.classes()])
    return found


def _grouped(kind: str, models: Iterable[tuple[str, type[Parameters]]]) -> list[Section]:
    """Puts those parameters together that the same components have in the same declaration."""
    models = list(models)
    everyone = list(dict.fromkeys(title for title, _ in models))
    holders: dict[tuple[str, str], list[str]] = {}
    declared: dict[tuple[str, str], Declared] = {}
    for title, model in models:
        for name in _own(model):
            key = (name, f"{allowed(model, name)} {model.model_fields[name].default!r}")
            if title not in holders.setdefault(key, []):
                holders[key].append(title)
            declared.setdefault(key, (model, name))
    groups: dict[str, list[Declared]] = {}
    for key, titles in holders.items():
        everything = len(titles) == len(everyone) and len(everyone) > 1
        several = f"{kind}{'s' if len(titles) > 1 else ''} {', '.join(titles)}"
        title = f"every {kind}" if everything else several
        groups.setdefault(title, []).append(declared[key])
    return list(groups.items())


def _own(model: type[Parameters]) -> list[str]:
    """Returns the parameters that a component adds to those of every run, which it may also read."""
    return [name for name in model.model_fields if name not in RunParameters.model_fields]


def _table(declared: Iterable[Declared], defaults: Mapping[str, Any]) -> Table:
    rows = []
    for model, name in declared:
        info = model.model_fields[name]
        own = defaults.get(name, info.get_default(call_default_factory=True))
        rows.append((name, shown(plain(own)), allowed(model, name), meaning(model, name)))
    return table(("parameter", "default", "allowed", "meaning"), rows)


def _own_defaults(entry: Entry) -> str:
    return ", ".join(f"{name}: {shown(plain(default))}" for name, default in entry.defaults.items())


def _summary(cls: type) -> str:
    return (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " ")
