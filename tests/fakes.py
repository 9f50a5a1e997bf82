"""Small agents, nets and environments for the tests of everything that only reads their declarations."""

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from merlin.config import Config, Parameters
from merlin.experiment import load_experiments
from merlin.experiment.components import Registries
from merlin.registry import Registry


class Replay(Parameters):
    memory_size: int = Field(500_000, ge=2, description="Observations kept.")
    batch_size: int = Field(32, ge=1, description="Transitions in a batch.")
    n_step: int = Field(1, ge=1, description="Rewards summed.")
    gamma: float = Field(0.99, ge=0, le=1, description="Discount of future rewards.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.batch_size > self.memory_size:
            raise ValueError(f"batch_size is {self.batch_size}, but memory_size only {self.memory_size}")
        return self


class Learner:
    name = "double_dqn"
    learns = True

    class Parameters(Parameters):
        alpha: float = Field(5e-6, gt=0, description="Learning rate.")
        double: bool = Field(False, description="Double Q.")
        dueling: bool = Field(False, description="Dueling head.")
        loss: Literal["huber", "squared"] = Field("huber", description="What is made of an error.")
        clip: float | None = Field(1.0, gt=0, description="Largest gradient; null clips nothing.")

    @classmethod
    def parts(cls):
        return (Replay,)


class Walker:
    name = "random_walker"
    learns = False

    class Parameters(Parameters):
        pass

    @classmethod
    def parts(cls):
        return ()


class Net:
    name = "linear_deep_net"

    class Parameters(Parameters):
        pass


class WideNet:
    name = "cnn"

    class Parameters(Parameters):
        features: tuple[int, ...] = Field((32, 64, 64, 512), min_length=3, description="Widths.")


class Pong:
    name = "pong"

    class Parameters(Parameters):
        num_envs: int = Field(1, ge=1, description="Copies.")
        num_stacked_frames: int = Field(4, ge=1, description="Frames in a state.")
        sticky: float = Field(0.25, ge=0, le=1, description="Chance that an action is repeated.")


class Game:
    name = "atari"

    class Parameters(Pong.Parameters):
        game: str = Field("breakout", description="Which game.")
        lives: bool = Field(False, description="Whether a lost life ends an episode.")


def registries() -> Registries:
    """Returns registries of their own, so that no test sees what another one registers."""
    agents = Registry("agent", [Walker])
    agents.preset("dqn", Learner)
    agents.preset("double_dqn", Learner, double=True)
    agents.preset("dueling_dqn", Learner, dueling=True)

    def game(name: str):
        known = {"Breakout": "ALE/Breakout-v5", "ALE/Breakout-v5": "ALE/Breakout-v5"}
        return (Game, known[name], {"game": "breakout"}) if name in known else None

    envs = Registry("env", [Pong], resolve=game, other_names=lambda: ["Breakout"])
    return Registries(agents, Registry("net", [Net, WideNet]), envs)


def write(folder: Path, text: str, name: str = "experiment_one.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def load(folder: Path, text: str, *overrides: str, name: str = "experiment_one.yaml") -> list[Config]:
    """Returns the runs of a file with this text."""
    return load_experiments([write(folder, text, name)], overrides, registries())
