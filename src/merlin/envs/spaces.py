"""Observations of Gymnasium as frames: images stay images, everything else becomes a vector of float32."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from gymnasium.spaces.utils import flatdim, flatten

from merlin.errors import InputError


class Encoder(NamedTuple):
    """How one observation becomes a frame.

    Attributes:
        shape: of a frame: [H, W], [C, H, W] or [d].
        dtype: uint8 for images, float32 for vectors.
        encode: observation → a new array of that shape and type.
    """

    shape: tuple[int, ...]
    dtype: type[np.uint8] | type[np.float32]
    encode: Callable[[Any], np.ndarray]


def encoder(space: spaces.Space, environment: str) -> Encoder:
    """Returns the encoder for an observation space.

    uint8 boxes of two axes are grey images [H, W]; those of three axes are images whose channels, last in
    Gymnasium,
    come first: [C, H, W], or [H, W] where there is one channel only. All other spaces are flattened as
    `gymnasium.spaces.flatten` does: numbers that count (Discrete) become one-hot, dictionaries and tuples are
    joined.

    Raises:
        InputError: a space whose observations have no fixed length.
    """
    if isinstance(space, spaces.Box) and space.dtype == np.uint8 and len(space.shape) in (2, 3):
        return _image_encoder(space.shape)
    try:
        length = flatdim(space)
    except (NotImplementedError, ValueError) as error:
        raise InputError(
            f"environment {environment}: observations of {space} have no fixed length, so no network can "
            "take them. Wrap the environment so that it gives a Box."
        ) from error

    if isinstance(space, spaces.Box):
        # What flatten does too, without its checks of types: this runs at every step.
        return Encoder((length,), np.float32, lambda observation: np.array(observation, np.float32).ravel())
    return Encoder((length,), np.float32, lambda observation: np.array(flatten(space, observation), np.float32))


def _image_encoder(shape: tuple[int, ...]) -> Encoder:
    if len(shape) == 2:
        return Encoder(shape, np.uint8, np.array)
    height, width, channels = shape
    if channels == 1:
        return Encoder((height, width), np.uint8, lambda image: np.array(image[:, :, 0]))
    if height <= 4 < min(width, channels):
        # Channels come first already, as PyTorch's own wrappers give them.
        return Encoder(shape, np.uint8, np.array)
    return Encoder((channels, height, width), np.uint8, lambda image: np.ascontiguousarray(np.moveaxis(image, 2, 0)))
