"""The baseline: acts at random and learns nothing."""

from typing import Any, final

import numpy as np
from torch import Tensor

from merlin.agents.base import BaseAgent, Surroundings, Totals
from merlin.experience.batch import Batch


@final
class RandomWalker(BaseAgent):
    """Draws every action with the same chance."""

    name = "random_walker"
    learns = False

    def __init__(self, parameters: BaseAgent.Parameters, surroundings: Surroundings) -> None:
        self._num_actions = surroundings.num_actions
        self._generator = surroundings.generator

    def act(self, state: Tensor) -> np.ndarray:
        return self._generator.integers(self._num_actions, size=len(state))

    def update(self, batch: Batch) -> Tensor:
        raise TypeError("a random walker does not learn")

    def totals(self) -> Totals:
        return Totals()

    def weights(self) -> dict[str, Tensor]:
        return {}

    def load_weights(self, weights: dict[str, Tensor]) -> None:
        pass

    def state_dict(self) -> dict[str, Any]:
        return {"generator": self._generator.bit_generator.state}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._generator.bit_generator.state = state["generator"]
