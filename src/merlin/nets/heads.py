"""Heads that an agent puts in place of a network's last layer."""

from typing import final

from torch import Tensor, nn

from merlin.errors import MerlinError


@final
class DuelingHead(nn.Module):
    """Value of the state plus advantage of each action: Q(s, a) = V(s) + A(s, a) − mean over a' of A(s, a').

    Equation 9 of Wang et al., "Dueling network architectures for deep reinforcement learning" (2016). The mean runs
    over the actions of each state. Deviation from the paper: value and advantage share the network's last hidden
    layer, where the paper gives each a hidden layer of its own, and the gradient is not rescaled by 1/√2.

    Initialisation: PyTorch's default, uniform in ±1/√fan_in.
    """

    def __init__(self, num_inputs: int, num_actions: int) -> None:
        super().__init__()
        self.value = nn.Linear(num_inputs, 1)
        self.advantage = nn.Linear(num_inputs, num_actions)

    def forward(self, hidden: Tensor) -> Tensor:
        """Maps hidden units [B, num_inputs] to values of the actions [B, num_actions]."""
        advantage = self.advantage(hidden)
        return self.value(hidden) + advantage - advantage.mean(dim=-1, keepdim=True)


def with_dueling_head(net: nn.Sequential, num_actions: int) -> nn.Sequential:
    """Returns the network's layers with a new `DuelingHead` in place of the last `Linear`.

    The layers below the head are shared with `net`, not copied. The head's weights come from torch's global generator.

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
    return nn.Sequential(*net[:-1], DuelingHead(last.in_features, num_actions))
