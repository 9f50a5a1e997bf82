"""Heads that an agent puts in place of a network's last layer."""

from collections.abc import Callable
from typing import final

import torch
from torch import Tensor, nn

from merlin.errors import MerlinError


def in_float32(head: Callable[[Tensor], Tensor], hidden: Tensor) -> Tensor:
    """Applies a network's last layer to hidden units [B, num_inputs] in float32, also under autocast.

    bfloat16 has 8 significant bits, often too few to tell the values of two actions apart: the greedy action
    would be the first of several equal ones, and TD errors would be steps of the rounding.
    """
    with torch.autocast(hidden.device.type, enabled=False):
        return head(hidden.float())


@final
class DuelingHead(nn.Module):
    """Value of the state plus advantage of each action: Q(s, a) = V(s) + A(s, a) − mean over a' of A(s, a').

    Equation 9 of Wang et al., "Dueling network architectures for deep reinforcement learning" (2016). The
    mean runs over the actions of each state, and each of the two streams has a hidden layer of its own where the
    network has one. Deviation from the paper: gradients are not rescaled by 1/√2 where both streams meet.

    Initialisation: PyTorch's default, uniform in ±1/√fan_in.

    Args:
        value_hidden: the value's layers before its last; may be empty.
        advantage_hidden: the same for the advantages.
        num_inputs: units that come out of either.
        num_actions: outputs of the head.
    """

    def __init__(
        self, value_hidden: nn.Sequential, advantage_hidden: nn.Sequential, num_inputs: int, num_actions: int
    ) -> None:
        super().__init__()
        self.value_hidden, self.advantage_hidden = value_hidden, advantage_hidden
        self.value = nn.Linear(num_inputs, 1)
        self.advantage = nn.Linear(num_inputs, num_actions)

    def forward(self, features: Tensor) -> Tensor:
        """Maps features [B, …] to float32 values of the actions [B, num_actions]."""
        value = in_float32(self.value, self.value_hidden(features))
        advantage = in_float32(self.advantage, self.advantage_hidden(features))
        return value + advantage - advantage.mean(dim=-1, keepdim=True)


def with_dueling_head(net: nn.Sequential, num_actions: int) -> nn.Sequential:
    """Returns the network's layers with a new `DuelingHead` in place of the last `Linear`.

    If the network ends in `Linear`, an activation, `Linear`, the head takes that hidden layer too and adds another like
    it, so that value and advantage have one each. The layers below are shared with `net`, not copied. What is
    new is drawn from torch's global generator.

    Args:
        net: layers that end in a `Linear`.
        num_actions: outputs of the head.

    Raises:
        MerlinError: the network does not end in a `Linear`.
    """
    layers: list[nn.Module] = list(net)
    last = layers.pop() if layers else None
    if not isinstance(last, nn.Linear):
        raise MerlinError(
            f"A dueling head takes the place of a network's last nn.Linear, but this network ends in {last}. "
            "Let the net end in nn.Linear(…, num_actions), or set dueling to false."
        )
    value_hidden, advantage_hidden = nn.Sequential(), nn.Sequential()
    match layers:
        case [*layers, nn.Linear() as hidden, activation] if not list(activation.parameters()):
            another = nn.Linear(hidden.in_features, hidden.out_features, hidden.bias is not None)
            value_hidden, advantage_hidden = (
                nn.Sequential(another, activation),
                nn.Sequential(hidden, activation),
            )
    return nn.Sequential(*layers, DuelingHead(value_hidden, advantage_hidden, last.in_features, num_actions))
