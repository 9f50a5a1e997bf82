"""A convolutional network with batch normalisation."""

from typing import final

from torch import nn

from merlin.nets.base import BaseNet
from merlin.nets.layers import Window, dense, image_shape, output_side, whole_picture

WINDOWS = (Window(8, 4, 1), Window(4, 2, 1), Window(3, 1, 1))
CHANNELS = (32, 64, 64)


@final
class ConvNet(BaseNet):
    """Convolutions 8×8 with stride 4, 4×4 with stride 2 and 3×3, padded by 1, and a dense layer of 256 units.

    Each convolution is followed by batch normalisation (Ioffe and Szegedy, 2015) and ReLU; it has no bias
    of its own because the normalisation would take it away again. The smallest image is 10×10. Acting needs
    evaluation mode (`eval()`): in training mode the values of a state depend on its batch.

    A border of zeros is added to pictures of which the convolutions would leave pixels out at an edge.

    Initialisation: PyTorch's default (see `BaseNet`); scale 1 and shift 0 of the normalisation.
    """

    name = "conv_net"

    def _define_net(self, state_shape: tuple[int, ...], num_actions: int) -> nn.Sequential:
        channels, height, width = image_shape(self.name, state_shape, WINDOWS)
        layers, height, width = whole_picture(height, width, WINDOWS)
        for window, out_channels in zip(WINDOWS, CHANNELS, strict=True):
            layers += [
                nn.Conv2d(channels, out_channels, *window, bias=False),
                nn.BatchNorm2d(out_channels),
                nn.ReLU(),
            ]
            channels = out_channels
        num_inputs = channels * output_side(height, WINDOWS) * output_side(width, WINDOWS)
        return nn.Sequential(*layers, nn.Flatten(), *dense(num_inputs, (256,), num_actions))
