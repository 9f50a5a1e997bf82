"""One variant of an experiment: its settings merged, checked against what its parts declare, and named."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pydantic

from merlin.config import Parameters, RunParameters, plain, safe_name
from merlin.errors import InputError, MerlinError
from merlin.experiment import components
from merlin.experiment.components import Registries
from merlin.experiment.declaration import allowed
from merlin.experiment.file import Fault, Node, Place, Setting, shown
from merlin.registry import Entry


@dataclass
class Resolved:
    """One variant: what is written for it, and what comes of that.

    Attributes:
        way: the nodes of its file from the top down to it.
        above: settings of the command line.
        values: the checked parameters; some are missing if anything is wrong.
        origins: where each comes from.
        models: the declarations that make it up.
        complete: whether all of those were found.
        learns: whether its agent learns.
    """

    way: tuple[Node, ...]
    above: Mapping[str, Setting]
    values: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    models: tuple[type[Parameters], ...] = ()
    complete: bool = True
    learns: bool = True

    @property
    def used(self) -> set[str]:
        """The parameters that some part of the variant uses."""
        return {name for model in self.models for name in model.model_fields} - self.unused

    @property
    def unused(self) -> set[str]:
        """Parameters that every run declares but this one has no use for."""
        return set() if self.learns else {"net_name"}

    @property
    def sound(self) -> bool:
        """Whether every parameter that it uses has a value that is allowed."""
        return self.complete and self.values.keys() == self.used

    @property
    def place(self) -> Place:
        """Where the variant is written."""
        return self.way[-1].place

    def setting(self, name: str) -> Setting | None:
        """Returns the setting that decides a parameter, if any is written."""
        found = (node.settings[name] for node in reversed(self.way) if name in node.settings)
        return self.above.get(name) or next(found, None)

    def place_of(self, *names: str) -> Place:
        """Returns where the nearest of some parameters' settings is written."""
        levels = [self.above, *(node.settings for node in reversed(self.way))]
        places = (level[name].place for level in levels for name in names if name in level)
        return next(places, self.place)

    def origin(self, name: str) -> str:
        """Returns where the value of a parameter comes from."""
        if name in self.above:
            return "command line"
        setting = self.setting(name)
        if setting is None:
            return "default"
        return f"{'file' if self.way[0].settings.get(name) is setting else 'variant'} {setting.place}"


def resolve(
    path: Path,
    way: tuple[Node, ...],
    above: Mapping[str, Setting],
    registries: Registries,
    faults: list[Fault],
) -> Resolved:
    """Returns one variant, checked; what is wrong with it is added to `faults`."""
    variant = Resolved(way, above)
    named = {"experiment": safe_name(path.stem), "variant": _variant_id(variant)}
    run = _checked(variant, RunParameters, named, faults, exactly={"variant": named["variant"]})
    entries = {name: _entry(variant, name, run, registry, faults) for name, registry in registries.named()}
    env, agent, net = (entries[name] for name in ("env_name", "agent_name", "net_name"))
    variant.learns = agent is None or agent.cls.learns
    if not variant.learns:
        net = None
    variant.complete = bool(env and agent and (net or not variant.learns))
    found = [entry for entry in (env, agent, net) if entry]
    variant.models = components.models(env, agent, net)
    defaults = {
        **named,
        **{entry_key: value for entry in found for entry_key, value in entry.defaults.items()},
    }
    _refuse_stray_defaults(found, variant.models)
    values = run
    for model in variant.models[1:]:
        values |= _checked(variant, model, defaults, faults)
    if env:
        values["env_name"] = env.name
    variant.values = {name: plain(value) for name, value in values.items() if name not in variant.unused}
    variant.origins = {name: variant.origin(name) for name in variant.values}
    if variant.sound:
        for names, message in _contradictions(variant.values):
            faults.append(Fault(variant.place_of(*names), message))
    return variant


def _entry(
    variant: Resolved, parameter: str, run: Mapping[str, Any], registry: Any, faults: list[Fault]
) -> Entry | None:
    if parameter not in run:
        return None
    try:
        return registry.find(run[parameter])
    except MerlinError as error:
        faults.append(Fault(variant.place_of(parameter), f"{parameter}: {error}"))
        return None


def _checked(
    variant: Resolved,
    model: type[Parameters],
    defaults: Mapping[str, Any],
    faults: list[Fault],
    exactly: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Returns the values of one declaration's parameters, without those that are wrong.

    `defaults` give way to what is written; what is written gives way to `exactly`.
    """
    given = components.defaults(model, defaults)
    given |= {name: setting.value for name in model.model_fields if (setting := variant.setting(name))}
    given |= exactly
    wrong: set[str] = set()
    try:
        checked = model(**given)
    except pydantic.ValidationError as error:
        for detail in error.errors():
            name = str(detail["loc"][0]) if detail["loc"] else None
            wrong |= {name} if name else set(model.model_fields)
            faults.append(_fault(variant, model, name, detail))
        checked = model.model_construct(**given)
    return {name: getattr(checked, name) for name in model.model_fields if name not in wrong}


def _fault(variant: Resolved, model: type[Parameters], name: str | None, detail: Any) -> Fault:
    reason = str(detail["ctx"]["error"]) if detail["type"] in ("value_error", "assertion_error") else detail["msg"]
    if name is None:
        mentioned = [field for field in model.model_fields if field in reason.replace("`", " ").split()]
        return Fault(variant.place_of(*mentioned), reason)
    setting = variant.setting(name)
    value = setting.value if setting else detail["input"]
    text = f"{setting.spelled if setting else name}: {shown(plain(value))} is not allowed"
    if detail["type"] in ("value_error", "assertion_error"):
        return Fault(variant.place_of(name), f"{text}: {reason}")
    return Fault(variant.place_of(name), f"{text}; allowed: {allowed(model, name)}{_hint(value, detail['type'])}")


def _hint(value: Any, kind: str) -> str:
    if isinstance(value, str) and kind in ("int_type", "float_type"):
        try:
            float(value)
        except ValueError:
            return ""
        return " (write the number without quotes)"
    if kind == "string_type" and isinstance(value, int | float):
        return " (put it in quotes)"
    return ""


def _variant_id(variant: Resolved) -> Any:
    """Returns the variant's name: the nearest one that is written, and what is overridden below that."""
    if "variant" in variant.above:
        return variant.above["variant"].value
    start, pieces = None, {}
    for depth, node in enumerate(variant.way):
        if "variant" in node.settings:
            start, pieces = node.settings["variant"].value, {}
        elif depth:
            pieces |= {name: None for name in node.settings if name not in ("experiment", "variant")}
    if start is not None and (not pieces or not isinstance(start, str) or start != safe_name(start)):
        return start  # as written, also if it is wrong: that is told elsewhere
    texts = [] if start is None else [start]
    for name in pieces:
        setting = variant.setting(name)
        value = setting.value if setting else None
        items = value if isinstance(value, list) else [value]
        texts.append(f"{name}={'-'.join(item if isinstance(item, str) else shown(item) for item in items)}")
    return safe_name(",".join(texts)) if texts else "default"


def _refuse_stray_defaults(found: list[Entry], models: tuple[type[Parameters], ...]) -> None:
    for entry in found:
        for name in entry.defaults:
            if not any(name in model.model_fields for model in models):
                raise InputError(f"'{entry.name}' sets {name}, which no part of it declares.")


def _contradictions(values: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yields what does not go together across components: the parameters, and why."""
    if {"memory_size", "num_envs", "n_step", "num_stacked_frames"} <= values.keys():
        least = values["n_step"] + values["num_stacked_frames"] + 1
        each = values["memory_size"] // values["num_envs"]
        if each < least:
            yield (
                ("memory_size", "num_envs", "n_step", "num_stacked_frames"),
                f"memory_size is {values['memory_size']}, which gives each of num_envs "
                f"{values['num_envs']} copies {each} observations; n_step {values['n_step']} and "
                f"num_stacked_frames {values['num_stacked_frames']} need at least {least} each",
            )
    if values["run"] + values["run_count"] > 2**31:
        yield ("run", "run_count"), "run: the numbers of the runs must stay below 2,147,483,648"
