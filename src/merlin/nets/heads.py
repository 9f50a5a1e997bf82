"""Heads that an agent puts in place of a network's last layer."""

from collections.abc import Callable
from typing import final

import torch
from torch import Tensor, nn

from merlin.errors import MerlinError


def in_float32(head: Callable[[Tensor], Tensor], hidden: Tensor) -> Tensor:
    """Returns what a network's last layer makes of hidden units [B, num_inputs], in float32 also under autocast.

    bfloat16 has 8 significant bits, often too few to tell the values of two actions apart: the greedy action
    would be the first of several equal ones, and TD errors would be steps of the rounding.
    """
    with torch.autocast(hidden.device.type, enabled=False):
        return head(hidden.float())


@final
class DuelingHead(nn.Module):
    """Value of the state plus advantage of each action: Q(s, a) = V(s) + A(s, a) − mean over a' of A(s, a').

    Equation 9 of Wang et al., "Dueling network architectures for deep reinforcement learning" (2016). The
    mean runs over the actions of each state. Deviations from the paper: value and advantage share the
    network's last hidden layer, where the paper gives each its own, and gradients are not rescaled by 1/√2
    where both meet.

    Initialisation: PyTorch's default, uniform in ±1/√fan_in.
    """

    def __init__(self, num_inputs: int, num_actions: int) -> None:
        super().__init__()
        self.value = nn.Linear(num_inputs, 1)
        self.advantage = nn.Linear(num_inputs, num_actions)

    def forward(self, hidden: Tensor) -> Tensor:
        """Maps hidden units [B, num_inputs] to float32 values of the actions [B, num_actions]."""
        return in_float32(self._combined, hidden)

    def _combined(self, hidden: Tensor) -> Tensor:
        advantage = self.advantage(hidden)
        return self.value(hidden) + advantage - advantage.mean(dim=-1, keepdim=True)


def with_dueling_head(net: nn.Sequential, num_actions: int) -> nn.Sequential:
    """Returns the network's layers with a new `DuelingHead` in place of the last `Linear`.

    The layers below the head are shared with `net`, not copied. The head is drawn from torch's global
    generator.

    Args:
        net: layers that end in a `Linear`.
        num_actions: outputs of the head.

    Raises:
        MerlinError: the network does not end in a `Linear`.
    """
    last = net[-1] if len(net) else None
    if not isinstance(last, nn.Linear):
        raise MerlinError(
            f"A dueling head takes the place of a network's last nn.Linear, but this network ends in {last}. "
            "Let the net end in nn.Linear(…, num_actions), or set dueling to false."
        )
    return nn.Sequential(*list(net)[:-1], DuelingHead(last.in_features, num_actions))
