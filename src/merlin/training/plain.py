"""State as `torch.load(weights_only=True)` reads it back.

Numpy arrays travel as marked tensors that share their memory.
"""

from typing import Any

import numpy as np
import torch

_ARRAY = "__numpy_array__"


def to_plain(value: Any, where: str = "state") -> Any:
    """Returns `value` with every numpy array wrapped as a tensor and every numpy number turned into Python's.

    Args:
        value: nested dicts, lists and tuples of tensors, arrays and plain values.
        where: what to call it in an error.

    Raises:
        TypeError: something in it is none of these.
    """
    match value:
        case torch.Tensor():
            return _without_the_rest(value.detach())
        case np.ndarray():
            return {_ARRAY: _as_tensor(value, where)}
        case np.generic():
            return value.item()
        case None | bool() | int() | float() | str() | bytes():
            return value
        case dict():
            return {_key(key, where): to_plain(part, f"{where}[{key!r}]") for key, part in value.items()}
        case list():
            return [to_plain(part, f"{where}[{index}]") for index, part in enumerate(value)]
        case tuple():
            return tuple(to_plain(part, f"{where}[{index}]") for index, part in enumerate(value))
        case _:
            raise TypeError(f"{where} is a {type(value).__name__}, which a checkpoint cannot hold")


def from_plain(value: Any) -> Any:
    """Turns back what `to_plain` did; named tuples and ordered dicts have become plain ones."""
    match value:
        case {"__numpy_array__": array, **rest} if not rest:
            return array.numpy()
        case dict():
            return {key: from_plain(part) for key, part in value.items()}
        case list():
            return [from_plain(part) for part in value]
        case tuple():
            return tuple(from_plain(part) for part in value)
        case _:
            return value


def _key(key: Any, where: str) -> str | int:
    if isinstance(key, np.integer):
        return int(key)
    if isinstance(key, str | int) and key != _ARRAY:
        return key
    raise TypeError(f"{where} has the key {key!r}, which a checkpoint cannot hold: only strings and integers")


def _as_tensor(array: np.ndarray, where: str) -> torch.Tensor:
    # A memory map and a read-only array are copied: torch would warn of the one that it cannot write to.
    array = np.asarray(array)
    if not array.dtype.isnative or not array.flags.writeable or any(stride < 0 for stride in array.strides):
        array = array.astype(array.dtype.newbyteorder("="), order="C")
    try:
        return torch.from_numpy(array)
    except TypeError as error:
        raise TypeError(f"{where} is an array of {array.dtype}, which a checkpoint cannot hold") from error


def _without_the_rest(tensor: torch.Tensor) -> torch.Tensor:
    """`torch.save` writes all that a view's memory belongs to; a copy has just what is seen."""
    seen_bytes = tensor.numel() * tensor.element_size()
    return tensor if tensor.untyped_storage().nbytes() <= seen_bytes else tensor.clone()
