"""What can be set in an experiment, and the settings of one run.

A component (an agent, a net, an environment, a part of the training) declares its parameters as a subclass of
`Parameters`, each with its default, its range and its meaning. An experiment file stays flat: a run's
`Config` holds the values of all of its components side by side, and every component picks its own out of it
with `Config.part`.
"""

import re
import types
import typing
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeVar

import pydantic
from pydantic import Field, field_validator

OTHER_NAMES = {"max_episodes": "episodes"}
"""Other names of parameters, as they may be written in files, and the names that they stand for."""

_UNSAFE_IN_PATHS = re.compile(r'[\x00-\x1f/\\:*?"<>|]')


class Parameters(pydantic.BaseModel):
    """The parameters of one component: immutable, no unknown keys, no silent conversion between types.

    Three spellings are taken as what they mean: a whole number for a float, a float without a fraction
    (`1e5`) for a whole number, and a list for a tuple. A truth value is never a number.
    """

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _spelling(cls, value: Any, info: pydantic.ValidationInfo) -> Any:
        wanted = plain_types(cls.model_fields[info.field_name or ""].annotation)
        if isinstance(value, float) and int in wanted and float not in wanted and value.is_integer():
            return int(value)
        if isinstance(value, list) and tuple in wanted:
            return tuple(value)
        return value


P = TypeVar("P", bound=Parameters)


def plain_types(annotation: Any) -> set[Any]:
    """Returns the types that an annotation allows, bare: `int | None` gives `{int, NoneType}`."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return plain_types(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return set().union(*(plain_types(member) for member in typing.get_args(annotation)))
    return {origin or annotation}


class RunParameters(Parameters):
    """What every run has, whatever it trains."""

    experiment: str = Field("experiment", description="Name of the experiment; the name of its file if not given.")
    variant: str = Field("default", description="Name of the variant; made of what it overrides if not given.")
    run: int = Field(0, ge=0, lt=2**31, description="Number of the run; of the first one if there are several.")
    run_count: int = Field(3, ge=1, le=10_000, description="How many independent runs of each variant there are.")
    seed: int = Field(0, ge=0, lt=2**32, description="Root of all random numbers, together with the run's number.")
    env_name: str = Field("pong", description="The environment; see `merlin show envs`.")
    agent_name: str = Field("double_dqn", description="The agent; see `merlin show agents`.")
    net_name: str = Field("linear_deep_net", description="The neural network; see `merlin show nets`.")
    episodes: int = Field(5000, ge=1, description="Episodes to train for (also: `max_episodes`).")
    imports: tuple[str, ...] = Field(
        (),
        description="Python files with classes of your own to name here, relative to the experiment file.",
    )
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="Where the agent computes; `auto` takes CUDA where there is one."
    )
    threads: int | None = Field(
        None, ge=1, description="Processor threads of the run; null divides the cores among the runs at work."
    )
    model_save_interval: int | None = Field(
        None, ge=1, description="Episodes between saved models; null saves one at the end only."
    )
    video_record_interval: int | None = Field(
        2500, ge=1, description="Episodes between recorded videos; null records none."
    )
    save_state_img: bool = Field(False, description="Whether some preprocessed states are saved as pictures.")
    checkpoint_interval: int | None = Field(
        None,
        ge=1,
        description="Agent steps between the checkpoints that resume a run; null chooses an interval.",
    )
    tail: int = Field(2000, ge=1, description="Last episodes of a run that the statistics compare.")

    @field_validator("experiment", "variant")
    @classmethod
    def _names_a_folder(cls, value: str) -> str:
        if value != safe_name(value):
            raise ValueError(
                'it becomes the name of a folder: at most 200 bytes, without / \\ : * ? " < > | '
                "and control characters, "
                "no dot or space at either end"
            )
        return value

    @field_validator("variant")
    @classmethod
    def _is_not_taken(cls, value: str) -> str:
        if value.casefold() == "analysis":
            raise ValueError("the folder `analysis` of an experiment is for its statistics; choose another name")
        return value


def meaning(model: type[Parameters], name: str) -> str:
    """Returns what a parameter means, as a sentence; empty if its declaration does not say."""
    text = " ".join((model.model_fields[name].description or "").split())
    return text and text[0].upper() + text[1:].removesuffix(".") + "."


def safe_name(text: str) -> str:
    """Returns the text changed as little as it takes to be the name of a folder on any system."""
    text = _UNSAFE_IN_PATHS.sub("-", text).strip(". ") or "-"
    while len(text.encode()) > 200:
        text = text[:-1].rstrip(". ")
    return text


@dataclass(frozen=True)
class Config:
    """The settings of one run: every parameter that some part of it uses, checked.

    Attributes:
        values: each parameter's value, as plain YAML data (lists, not tuples), in order of declaration.
        origins: where each value comes from: `default`, `file PATH:LINE`, `variant PATH:LINE` or `command
            line`. models: the declarations that the values follow.
    """

    values: dict[str, Any]
    origins: dict[str, str] = field(default_factory=dict, compare=False)
    models: tuple[type[Parameters], ...] = field(default=(), compare=False, repr=False)

    def part(self, model: type[P]) -> P:
        """Returns the parameters of one component."""
        return model(**{name: self.values[name] for name in model.model_fields if name in self.values})

    def with_values(self, **values: Any) -> Self:
        """Returns the same settings with other values for some parameters that it has."""
        if unknown := values.keys() - self.values.keys():
            raise KeyError(f"not parameters of this run: {', '.join(sorted(unknown))}")
        return type(self)({**self.values, **values}, self.origins, self.models)

    def to_yaml(self) -> str:
        """Returns the text of an experiment file that repeats exactly this run."""
        from merlin.yaml_text import dump_value

        lines, left = [], dict(self.values)
        for model in self.models:
            shown = [name for name in model.model_fields if name in left]
            if shown and lines:
                lines.append("")
            for name in shown:
                text = f"{name}: {dump_value(left.pop(name))}"
                said = meaning(model, name)
                lines.append(f"{text:<40} # {said}" if said else text)
        lines += [f"{name}: {dump_value(value)}" for name, value in left.items()]
        return "\n".join(lines) + "\n"


def plain(value: Any) -> Any:
    """Returns a parameter's value as plain YAML data: tuples as lists."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value
