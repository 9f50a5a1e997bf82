"""A fully connected network of any depth."""

from math import prod
from typing import Annotated, final

import pydantic
from torch import nn

from merlin.nets.base import BaseNet
from merlin.nets.layers import dense


@final
class FC(BaseNet):
    """One hidden layer with ReLU per entry of `features`, on flattened states of any shape.

    Initialisation: PyTorch's default (see `BaseNet`).
    """

    name = "fc"

    class Parameters(BaseNet.Parameters):
        """The widths of the layers."""

        features: tuple[Annotated[int, pydantic.Field(ge=1)], ...] = pydantic.Field(
            (256, 256), description="units of each hidden layer; an empty list makes the network linear"
        )

    settings: Parameters

    def _define_net(self, state_shape: tuple[int, ...], num_actions: int) -> nn.Sequential:
        return nn.Sequential(nn.Flatten(), *dense(prod(state_shape), self.settings.features, num_actions))
