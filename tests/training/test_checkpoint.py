"""Checkpoints: what comes back, what damage is noticed, what a full disk leaves."""

import errno
import os
import random
import subprocess
import sys
import time

import numpy as np
import pytest
import torch

from merlin.errors import MerlinError
from merlin.run_folder import RunFolder
from merlin.training import checkpoint


def state(steps: int) -> dict:
    return {
        "steps": steps,
        "numpy": np.random.default_rng(steps).bit_generator.state,
        "torch": torch.get_rng_state(),
        "weights": {"0.weight": torch.arange(6.0).reshape(2, 3)},
        "arrays": [np.arange(5, dtype=np.uint8), (np.array(2.5), None, True, "text")],
    }


def same(one, other) -> bool:
    if isinstance(one, torch.Tensor):
        return isinstance(other, torch.Tensor) and one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


def no_warning(text: str) -> None:
    raise AssertionError(text)


def test_no_checkpoint(tmp_path):
    assert checkpoint.load(tmp_path / "checkpoint", no_warning) is None
    (tmp_path / "checkpoint").mkdir()
    assert checkpoint.load(tmp_path / "checkpoint", no_warning) is None


def test_the_newest_two_are_kept_and_the_newest_is_loaded(tmp_path):
    for steps in (9, 10, 100):
        assert checkpoint.save(tmp_path, steps, state(steps)) == tmp_path / f"{steps}.ckpt"
    assert sorted(os.listdir(tmp_path)) == ["10.ckpt", "100.ckpt"]
    loaded = checkpoint.load(tmp_path, no_warning)
    assert same(loaded, state(100))


def test_a_numpy_generator_goes_on_where_it_was(tmp_path):
    for bits in (np.random.PCG64, np.random.MT19937, np.random.SFC64):
        generator = np.random.Generator(bits(5))
        generator.random(3)
        checkpoint.save(tmp_path, 1, {"bits": generator.bit_generator.state})
        restored = np.random.Generator(bits(0))
        loaded = checkpoint.load(tmp_path, no_warning)
        assert loaded is not None
        restored.bit_generator.state = loaded["bits"]
        assert restored.random() == generator.random()


def test_every_flipped_byte_and_every_cut_is_noticed(tmp_path):
    path = checkpoint.save(tmp_path, 3, {"array": np.arange(7), "number": 2**100})
    whole = path.read_bytes()
    assert checkpoint.find_fault(path) is None
    dice = random.Random(0)
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << dice.randrange(8)
        path.write_bytes(damaged)
        assert checkpoint.find_fault(path) is not None, f"byte {position} of {len(whole)}"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert checkpoint.find_fault(path) is not None, f"cut to {length} of {len(whole)}"
    path.write_bytes(whole + b"\x00")
    assert checkpoint.find_fault(path) is not None


def test_a_damaged_checkpoint_gives_way_to_the_one_before_it(tmp_path):
    checkpoint.save(tmp_path, 100, state(100))
    newest = checkpoint.save(tmp_path, 200, state(200))
    newest.write_bytes(newest.read_bytes()[:-1])
    warnings: list[str] = []
    assert same(checkpoint.load(tmp_path, warnings.append), state(100))
    assert len(warnings) == 1 and "200.ckpt" in warnings[0]
    # It must not count among the two that the next save keeps.
    checkpoint.save(tmp_path, 150, state(150))
    assert sorted(os.listdir(tmp_path)) == ["100.ckpt", "150.ckpt"]


def test_if_all_are_damaged_nothing_is_deleted_and_nothing_begins_anew(tmp_path):
    for steps in (1, 2):
        checkpoint.save(tmp_path, steps, state(steps)).write_bytes(b"")
    with pytest.raises(MerlinError, match=r"2\.ckpt, 1\.ckpt"):
        checkpoint.load(tmp_path, lambda text: None)
    assert sorted(os.listdir(tmp_path)) == ["1.ckpt", "2.ckpt"]


def test_what_a_killed_save_left_is_no_checkpoint_and_is_removed(tmp_path):
    folder = RunFolder(tmp_path)
    checkpoint.save(folder.checkpoint, 1, state(1))
    (folder.checkpoint / ".2.ckpt.4711.tmp").write_bytes(b"half of it")
    assert same(checkpoint.load(folder.checkpoint, no_warning), state(1))
    folder.remove_left_overs()
    assert os.listdir(folder.checkpoint) == ["1.ckpt"]


@pytest.mark.parametrize("where", ["write", "fsync"])
def test_a_full_disk_leaves_the_checkpoints_before(tmp_path, monkeypatch, where):
    checkpoint.save(tmp_path, 1, state(1))
    if where == "fsync":
        monkeypatch.setattr(os, "fsync", _full)
    else:
        monkeypatch.setattr(checkpoint, "open", lambda path, mode: _FullFile(path), raising=False)
    with pytest.raises(MerlinError, match=r"2\.ckpt.*disk is full.*MiB free"):
        checkpoint.save(tmp_path, 2, {"array": np.zeros(10**6)})
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["1.ckpt"]
    assert same(checkpoint.load(tmp_path, no_warning), state(1))


def test_a_view_is_saved_without_the_tensor_that_it_looks_into(tmp_path):
    large = torch.zeros(10**6)
    path = checkpoint.save(tmp_path, 1, {"view": large[:10], "array": np.zeros(10**6)[:10]})
    assert path.stat().st_size < 10_000


def test_arrays_are_written_from_where_they_lie(tmp_path):
    import tracemalloc

    array = np.zeros(8 * 2**20, np.uint8)
    tracemalloc.start()
    checkpoint.save(tmp_path, 1, {"array": array})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < array.nbytes / 2


def test_what_cannot_be_saved_is_named(tmp_path):
    with pytest.raises(TypeError, match=r"state\['a'\]\[1\] is a set"):
        checkpoint.save(tmp_path, 1, {"a": [1, {2}]})
    with pytest.raises(TypeError, match=r"state\['a'\] is an array of object"):
        checkpoint.save(tmp_path, 1, {"a": np.array([None])})
    assert os.listdir(tmp_path) == []


def test_arrays_of_every_kind_come_back(tmp_path):
    arrays = {
        "reversed": np.arange(4)[::-1],
        "strided": np.arange(10)[::3],
        "big endian": np.arange(3, dtype=">i4"),
        "empty": np.zeros((0, 3)),
        "uint64": np.array([2**64 - 1], np.uint64),
        "bool": np.array([True, False]),
        "read-only": np.broadcast_to(np.float32(2), (2, 2)),
    }
    checkpoint.save(tmp_path, 1, arrays)
    loaded = checkpoint.load(tmp_path, no_warning)
    assert loaded is not None
    for name, array in arrays.items():
        np.testing.assert_array_equal(loaded[name], array)


def _full(descriptor):
    raise OSError(errno.ENOSPC, "No space left on device")


class _FullFile:
    """A disk with room for 100,000 bytes."""

    def __init__(self, path):
        self._file, self._room = open(path, "wb"), 100_000

    def write(self, block):
        self._room -= len(block)
        if self._room < 0:
            _full(0)
        return self._file.write(block)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._file.close()

    def __getattr__(self, name):
        return getattr(self._file, name)


SAVER = """
import sys
from pathlib import Path
import numpy as np
from merlin.training import checkpoint
for steps in range(int(sys.argv[2]), 10**9):
    array = np.full(10**6, steps % 256, np.uint8)
    checkpoint.save(Path(sys.argv[1]), steps, {"steps": steps, "array": array})
    if steps == int(sys.argv[2]) + 2:
        print("three are written", flush=True)
"""


def test_a_kill_while_saving_leaves_whole_checkpoints(tmp_path):
    folder, first = RunFolder(tmp_path), 0
    for delay in (0.031, 0.237):
        process = subprocess.Popen(
            [sys.executable, "-c", SAVER, str(folder.checkpoint), str(first)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None and process.stdout.readline()
        time.sleep(delay)
        process.kill()
        process.wait()
        process.stdout.close()
        loaded = checkpoint.load(folder.checkpoint, no_warning)
        assert loaded is not None and loaded["steps"] >= first + 2
        assert (loaded["array"] == loaded["steps"] % 256).all()
        first = loaded["steps"] + 1
