"""A small fully connected network."""

from math import prod
from typing import final

from torch import nn

from merlin.nets.base import BaseNet
from merlin.nets.layers import dense


@final
class LinearFlatNet(BaseNet):
    """Two hidden layers of 512 and 128 units with ReLU on flattened states of any shape.

    Initialisation: PyTorch's default (see `BaseNet`).
    """

    name = "linear_flat_net"

    def _define_net(self, state_shape: tuple[int, ...], num_actions: int) -> nn.Sequential:
        return nn.Sequential(nn.Flatten(), *dense(prod(state_shape), (512, 128), num_actions))
