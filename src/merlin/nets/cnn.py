"""The network of the deep Q-network (DQN)."""

from typing import Annotated, final

import pydantic
from torch import nn

from merlin.nets.base import BaseNet
from merlin.nets.layers import Window, dense, image_shape, output_side, whole_picture

WINDOWS = (Window(8, 4, 0), Window(4, 2, 0), Window(3, 1, 0))


@final
class CNN(BaseNet):
    """The network of Mnih et al., "Human-level control through deep reinforcement learning" (2015).

    Three convolutions without padding, 8×8 with stride 4, 4×4 with stride 2 and 3×3, then dense layers;
    ReLU after each. The smallest image is 36×36. The paper's 84×84 are covered exactly; other sizes of which the
    convolutions would leave pixels out at an edge are given a border of zeros.

    Initialisation: PyTorch's default (see `BaseNet`), which is the published one.
    """

    name = "cnn"

    class Parameters(BaseNet.Parameters):
        """The widths of the layers."""

        features: tuple[Annotated[int, pydantic.Field(ge=1)], ...] = pydantic.Field(
            (32, 64, 64, 512),
            min_length=3,
            description="channels of the three convolutions, then units of each dense layer",
        )

    settings: Parameters

    def _define_net(self, state_shape: tuple[int, ...], num_actions: int) -> nn.Sequential:
        channels, height, width = image_shape(self.name, state_shape, WINDOWS)
        features = self.settings.features
        layers, height, width = whole_picture(height, width, WINDOWS)
        for window, out_channels in zip(WINDOWS, features, strict=False):
            layers += [nn.Conv2d(channels, out_channels, *window), nn.ReLU()]
            channels = out_channels
        num_inputs = channels * output_side(height, WINDOWS) * output_side(width, WINDOWS)
        return nn.Sequential(*layers, nn.Flatten(), *dense(num_inputs, features[3:], num_actions))
