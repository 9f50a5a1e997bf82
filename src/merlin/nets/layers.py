"""Pieces that several networks are built from."""

from collections.abc import Iterable, Sequence
from itertools import count
from typing import NamedTuple

from torch import nn

from merlin.errors import InputError

# What fits where image networks do not; a test compares these with the registry.
VECTOR_NETS = ("fc", "linear_deep_net", "linear_flat_net")


class Window(NamedTuple):
    """The geometry of a convolution or a pooling, in pixels and alike in both directions."""

    kernel: int
    stride: int
    padding: int


def dense(num_inputs: int, hidden: Iterable[int], num_outputs: int) -> list[nn.Module]:
    """Returns layers [B, num_inputs] → [B, num_outputs]: a ReLU after each hidden layer, none at the end."""
    layers: list[nn.Module] = []
    for width in hidden:
        layers += [nn.Linear(num_inputs, width), nn.ReLU()]
        num_inputs = width
    return [*layers, nn.Linear(num_inputs, num_outputs)]


def output_side(side: int, windows: Sequence[Window]) -> int:
    """Returns how many pixels of a side are left behind all windows; 0 if one of them does not fit."""
    for kernel, stride, padding in windows:
        if side + 2 * padding < kernel:
            return 0
        side = (side + 2 * padding - kernel) // stride + 1
    return side


def covering_side(side: int, windows: Sequence[Window]) -> int:
    """Returns the smallest side in pixels, at least the one given, of which the windows leave nothing out.

    A window moves on by its stride; pixels that are fewer than a stride at the far edge are in no window. Of 64
    pixels, windows of 8 by 4 and then of 4 by 2 do not see the last four: in Pong, the agent's own paddle.
    """
    return next(larger for larger in count(side) if _covers(larger, windows))


def _covers(side: int, windows: Sequence[Window]) -> bool:
    for kernel, stride, padding in windows:
        steps, left_out = divmod(side + 2 * padding - kernel, stride)
        if steps < 0 or left_out:
            return False
        side = steps + 1
    return True


def whole_picture(height: int, width: int, windows: Sequence[Window]) -> tuple[list[nn.Module], int, int]:
    """Returns what has to come before the windows so that these see every pixel, and the sides in pixels behind it.

    It is a border of zeros, as even as possible, or nothing where the sides fit already.
    """
    rows, columns = covering_side(height, windows), covering_side(width, windows)
    across, down = columns - width, rows - height
    if not across and not down:
        return [], rows, columns
    left, top = across // 2, down // 2
    return [nn.ZeroPad2d((left, across - left, top, down - top))], rows, columns


def smallest_side(windows: Sequence[Window]) -> int:
    """Returns the smallest side in pixels of which something is left behind all windows."""
    return next(side for side in count(1) if output_side(side, windows) > 0)


def image_shape(net_name: str, state_shape: tuple[int, ...], windows: Sequence[Window]) -> tuple[int, int, int]:
    """Returns the state's shape if it is an image that the windows fit on.

    Args:
        net_name: the network's name, for the message.
        state_shape: shape of one state; an image is (stack, height, width).
        windows: the convolutions and poolings of the network, in order.

    Raises:
        InputError: the state is not an image, or it is too small.
    """
    alternatives = f"set net_name to one that takes any states: {', '.join(VECTOR_NETS)}."
    if len(state_shape) != 3:
        raise InputError(
            f"net_name: {net_name} needs images, states of shape (stack, height, width), "
            f"but this environment's states have the shape {state_shape}; {alternatives}"
        )
    stack, height, width = state_shape
    smallest = smallest_side(windows)
    if min(height, width) < smallest:
        raise InputError(
            f"net_name: {net_name} needs images of at least {smallest}×{smallest} pixels, but this "
            f"environment's states have the shape {state_shape} (stack, height, width); enlarge them, "
            f"or {alternatives}"
        )
    return stack, height, width
