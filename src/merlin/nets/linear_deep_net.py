"""A deeper fully connected network."""

from math import prod
from typing import final

from torch import nn

from merlin.nets.base import BaseNet
from merlin.nets.layers import dense


@final
class LinearDeepNet(BaseNet):
    """Four hidden layers of 512, 384, 64 and 16 units with ReLU on flattened states of any shape.

    Initialisation: PyTorch's default (see `BaseNet`).
    """

    name = "linear_deep_net"

    def _define_net(self, state_shape: tuple[int, ...], num_actions: int) -> nn.Sequential:
        return nn.Sequential(nn.Flatten(), *dense(prod(state_shape), (512, 384, 64, 16), num_actions))
