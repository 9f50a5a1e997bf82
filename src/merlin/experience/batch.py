"""The only thing that passes from experience to an agent."""

from typing import NamedTuple

from torch import Tensor


class Batch(NamedTuple):
    """Transitions, with everything about time folded into `reward` and `discount`.

    The target of every agent is `reward + discount * value(next_observation)`: neither n-step returns nor the
    end of a game need a case of their own.

    Attributes:
        observation: [B, *state_shape], uint8 (images) or float32 (vectors).
        action: [B] int64, taken in `observation`.
        reward: [B] float32, the discounted sum of up to n rewards.
        next_observation: [B, *state_shape], the state in which that sum ends.
        discount: [B] float32, gamma to the number of rewards summed; 0 where the game ended.
        weight: [B] float32, the importance weight; 1 where all are drawn alike.
        index: [B] int64, where the transitions lie, to set their priorities.
    """

    observation: Tensor
    action: Tensor
    reward: Tensor
    next_observation: Tensor
    discount: Tensor
    weight: Tensor
    index: Tensor

    def to(self, device) -> "Batch":
        """Returns the batch on `device`."""
        return Batch(*(part.to(device, non_blocking=True) for part in self))
