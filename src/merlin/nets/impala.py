"""The residual network of IMPALA."""

from typing import Annotated, final

import pydantic
from torch import Tensor, nn

from merlin.nets.base import BaseNet
from merlin.nets.layers import Window, dense, image_shape, output_side

POOL = Window(kernel=3, stride=2, padding=1)


@final
class ResidualBlock(nn.Module):
    """x + conv(relu(conv(relu(x)))) with 3×3 convolutions that keep the shape [B, channels, H, W]."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        # The first ReLU must not work in place: x is still needed for the sum.
        self.branch = nn.Sequential(
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Maps [B, channels, H, W] to the same shape."""
        return x + self.branch(x)


@final
class ImpalaNet(BaseNet):
    """The large network of Espeholt et al., "IMPALA: scalable distributed deep-RL" (2018), without its LSTM.

    Three stacks of a 3×3 convolution, a 3×3 max-pooling with stride 2 and two residual blocks; then ReLU,
    dense layers with ReLU and the outputs. Each stack halves the sides, rounding up, so images of any size
    fit. The paper's widths are 16, 32, 32 and 256; the default here is twice as wide.

    Initialisation: PyTorch's default (see `BaseNet`).
    """

    name = "impala"

    class Parameters(BaseNet.Parameters):
        """The widths of the layers."""

        features: tuple[Annotated[int, pydantic.Field(ge=1)], ...] = pydantic.Field(
            (32, 64, 64, 512),
            min_length=3,
            description="channels of the three stacks, then units of each dense layer",
        )

    settings: Parameters

    def _define_net(self, state_shape: tuple[int, ...], num_actions: int) -> nn.Sequential:
        windows = (POOL, POOL, POOL)
        channels, height, width = image_shape(self.name, state_shape, windows)
        features = self.settings.features
        layers: list[nn.Module] = []
        for out_channels in features[:3]:
            layers += [
                nn.Conv2d(channels, out_channels, 3, padding=1),
                nn.MaxPool2d(*POOL),
                ResidualBlock(out_channels),
                ResidualBlock(out_channels),
            ]
            channels = out_channels
        num_inputs = channels * output_side(height, windows) * output_side(width, windows)
        return nn.Sequential(*layers, nn.ReLU(), nn.Flatten(), *dense(num_inputs, features[3:], num_actions))
