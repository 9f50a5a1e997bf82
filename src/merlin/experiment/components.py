"""Which declarations make up a run, and which there are at all: asked of the registered classes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from merlin.config import Parameters, RunParameters
from merlin.registry import Entry, Registry


@dataclass(frozen=True)
class Registries:
    """The agents, nets and environments that experiments may name."""

    agents: Registry
    nets: Registry
    envs: Registry

    @classmethod
    def default(cls) -> "Registries":
        """Returns merlin's own, with those of the installed packages that extend it."""
        from merlin.agents import agent_registry
        from merlin.envs import env_registry
        from merlin.experiment.extensions import load_plugins
        from merlin.nets import net_registry

        load_plugins()
        return cls(agent_registry, net_registry, env_registry)

    def named(self) -> Iterator[tuple[str, Registry]]:
        """Yields each registry with the name of the parameter that chooses from it."""
        yield from (("env_name", self.envs), ("agent_name", self.agents), ("net_name", self.nets))


def models(env: Entry | None, agent: Entry | None, net: Entry | None) -> tuple[type[Parameters], ...]:
    """Returns the declarations that make up a run of those components that it has."""
    declared: list[type[Parameters]] = [RunParameters]
    if env:
        declared.append(env.cls.Parameters)
    if agent:
        declared += [agent.cls.Parameters, *agent.cls.parts()]
    if net:
        declared.append(net.cls.Parameters)
    return tuple(dict.fromkeys(declared))


def owners(registries: Registries) -> dict[str, str]:
    """Returns each parameter that any component declares, and in words which components those are."""
    found: dict[str, dict[str, list[str]]] = {}

    def note(kind: str, owner: str, names: Iterable[str]) -> None:
        for name in names:
            found.setdefault(name, {}).setdefault(kind, []).append(owner)

    for agent in registries.agents:
        learner_names = ["net_name"] if agent.cls.learns else []
        note("agent", agent.name, [*_names(agent.cls.Parameters, *agent.cls.parts()), *learner_names])
    for registry in (registries.nets, registries.envs):
        for title, cls in registry.classes():
            note(registry.kind, title, _names(cls.Parameters))
    return {
        name: " and ".join(_listed(kind, titles) for kind, titles in kinds.items()) for name, kinds in found.items()
    }


def defaults(model: type[Parameters], entry_defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Returns those defaults of a registered name that belong to a declaration."""
    return {name: value for name, value in entry_defaults.items() if name in model.model_fields}


def _names(*declared: type[Parameters]) -> list[str]:
    names = dict.fromkeys(name for model in declared for name in model.model_fields)
    return [name for name in names if name not in RunParameters.model_fields]


def _listed(kind: str, names: list[str]) -> str:
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""
    return f"the {kind}{'s' if len(names) > 1 else ''} {', '.join(names[:6])}{more}"
