"""Checkpoints on the disk: whole or not there, and proven whole before they are taken up.

`checkpoint/<agent steps>.ckpt` is what `torch.save` writes, followed by a trailer: a magic line, the number
of bytes before the trailer, and their SHA-256. No byte of it can change, and it can be cut nowhere, without
being noticed. It holds dicts, lists, tuples, tensors and plain values only, so that loading one executes
nothing.
"""

import hashlib
import os
import pickle
import struct
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

import torch

from merlin.errors import MerlinError
from merlin.run_folder import explain, sync_folder
from merlin.training.plain import from_plain, to_plain

KEEP = 2
"""Checkpoints that are kept: the newest, and one before it in case the newest is damaged."""

_MAGIC = b"\nmerlin checkpoint 1\n"
_TRAILER = struct.Struct(f"<{len(_MAGIC)}sQ32s")
_BLOCK_BYTES = 1 << 20


def save(folder: Path, agent_steps: int, state: dict[str, Any]) -> Path:
    """Writes a checkpoint aside, forces it onto the disk, renames it and deletes all but the newest two.

    Arrays and tensors are written from where they lie: no copy is made in memory, except of views of larger
    tensors.

    Args:
        folder: the run's checkpoint/; made if it is not there.
        agent_steps: the agent's steps so far; the name of the checkpoint.
        state: nested dicts, lists and tuples of tensors, numpy arrays and numbers, strings, booleans and
            None.

    Raises:
        MerlinError: it could not be written, the disk is full for example; the checkpoints before it are as
            they were.
        TypeError: something in it cannot be saved; the message says what and where.
    """
    plain = to_plain(state)
    path = folder / f"{agent_steps}.ckpt"
    aside = folder / f".{path.name}.{os.getpid()}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open(aside, "wb") as file:
            writer = _Writer(file)
            torch.save(plain, cast(Any, writer))
            if writer.error is not None:
                raise writer.error
            file.write(_TRAILER.pack(_MAGIC, writer.size, writer.hash.digest()))
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
        sync_folder(folder)
    except OSError as error:
        failure = explain(error, path)  # before there is room again
        aside.unlink(missing_ok=True)
        raise failure from None
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    for old in _newest_first(folder)[KEEP:]:
        old.unlink(missing_ok=True)
    return path


def load(folder: Path, warn: Callable[[str], None] = warnings.warn) -> dict[str, Any] | None:
    """Returns what the newest whole checkpoint holds, tensors on the CPU; None if there is no checkpoint.

    Damaged checkpoints are deleted if an older one is whole, so that the next `save` keeps whole ones.

    Args:
        folder: the run's checkpoint/.
        warn: is told of each damaged checkpoint, in one line.

    Raises:
        MerlinError: there are checkpoints, but none of them is whole.
    """
    if not folder.is_dir():
        return None
    damaged: list[Path] = []
    for path in _newest_first(folder):
        fault = find_fault(path)
        if fault is None:
            for bad in damaged:
                bad.unlink(missing_ok=True)
            return _read(path)
        warn(f"checkpoint {path.name} is damaged ({fault}): taking the one before it")
        damaged.append(path)
    if damaged:
        names = ", ".join(path.name for path in damaged)
        raise MerlinError(
            f"no checkpoint in {folder} is whole ({names}): bring them back from a copy, "
            f"or delete the folder {folder.parent} to train this run anew"
        )
    return None


def find_fault(path: Path) -> str | None:
    """Says what is wrong with a checkpoint file; None if it is whole. Reads all of it, in blocks."""
    try:
        with open(path, "rb") as file:
            return _compare_trailer(file)
    except OSError as error:
        raise MerlinError(f"cannot read {path}: {error.strerror or error}") from None


def _compare_trailer(file: BinaryIO) -> str | None:
    size = file.seek(0, os.SEEK_END) - _TRAILER.size
    if size < 0:
        return "cut short"
    file.seek(size)
    magic, expected_size, digest = _TRAILER.unpack(file.read(_TRAILER.size))
    if magic != _MAGIC or size != expected_size:
        return "cut short or overwritten"
    file.seek(0)
    checksum = hashlib.sha256()
    while size > 0:
        block = file.read(min(size, _BLOCK_BYTES))
        if not block:
            return "cut while it was read"
        checksum.update(block)
        size -= len(block)
    return None if checksum.digest() == digest else "its checksum differs"


def _read(path: Path) -> dict[str, Any]:
    try:
        # The reader finds its index from the end and passes over the trailer.
        return from_plain(torch.load(path, map_location="cpu", weights_only=True))
    except (pickle.UnpicklingError, RuntimeError) as error:
        raise MerlinError(
            f"{path} is whole, but PyTorch {torch.__version__} cannot read it; "
            f"go on with the version that wrote it ({str(error).splitlines()[0]})"
        ) from error


def _newest_first(folder: Path) -> list[Path]:
    paths = [path for path in folder.glob("*.ckpt") if path.stem.isdigit()]
    return sorted(paths, key=lambda path: int(path.stem), reverse=True)


class _Writer:
    """Passes on what `torch.save` writes, and counts and hashes it on the way.

    An error is kept for afterwards: thrown through PyTorch's C++ writer it would come out as something else.
    """

    def __init__(self, file: BinaryIO):
        self._file = file
        self.size = 0
        self.hash = hashlib.sha256()
        self.error: OSError | None = None

    def write(self, block: bytes) -> int:
        self.size += len(block)
        if self.error is None:
            try:
                self._file.write(block)
                self.hash.update(block)
            except OSError as error:
                self.error = error
        return len(block)

    def flush(self) -> None:
        """`save` flushes, once, at the end."""
