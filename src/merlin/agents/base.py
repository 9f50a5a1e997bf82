"""What every agent is, whether it learns or not."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from merlin import config
from merlin.experience.batch import Batch
from merlin.experience.parameters import ExplorationParameters, ReplayParameters
from merlin.nets import BaseNet


@dataclass(frozen=True)
class Surroundings:
    """What an agent is told about where it lives.

    Attributes:
        state_shape: shape of one state, without the batch.
        num_actions: how many actions there are.
        device: where the agent computes.
        make_net: gives a new network with so many outputs, initialised from the run's own random numbers.
        generator: random numbers of the agent's own, for what it does at random.
    """

    state_shape: tuple[int, ...]
    num_actions: int
    device: torch.device
    make_net: Callable[[int], BaseNet]
    generator: np.random.Generator


@dataclass(frozen=True)
class Totals:
    """Sums over all updates so far, from which the means over any stretch of training follow.

    Attributes:
        updates: how many there were.
        loss: sum of the losses.
        q: sum of the mean values of the actions that were learned from.
    """

    updates: int = 0
    loss: float = 0.0
    q: float = 0.0


class BaseAgent(ABC):
    """Something that acts and may learn.

    Most agents of your own are better begun from `ValueAgent`, which asks for a loss only.
    """

    name: ClassVar[str]
    learns: ClassVar[bool]
    """Whether the agent has a network and learns from batches; only then is there a replay and an exploration."""

    class Parameters(config.Parameters):
        """What an experiment can set for an agent of this class."""

    @classmethod
    def parts(cls) -> tuple[type[config.Parameters], ...]:
        """Returns what else, beside its own `Parameters`, an experiment with this agent can set."""
        return (ReplayParameters, ExplorationParameters) if cls.learns else ()

    @abstractmethod
    def act(self, state: Tensor) -> np.ndarray:
        """Returns the actions, int64 [num_envs], that the agent thinks best in states [num_envs, *state_shape]."""

    @abstractmethod
    def update(self, batch: Batch) -> Tensor:
        """Learns from a batch and returns the absolute TD errors, [B]."""

    @abstractmethod
    def totals(self) -> Totals:
        """Returns the sums over all updates so far; the one place that waits for the device."""

    @abstractmethod
    def weights(self) -> dict[str, Tensor]:
        """Returns what a saved model holds; empty for an agent without a network."""

    @abstractmethod
    def load_weights(self, weights: dict[str, Tensor]) -> None:
        """Takes over what `weights` gave."""

    @abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """Returns all that restores the agent in the middle of its training."""

    @abstractmethod
    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restores the agent."""
