"""The frame store: every observation once; stacks, n-step sums and discounts are gathered when they are asked for."""

import os
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
import torch

from merlin.errors import MerlinError

GOES_ON, CUT, TERMINAL = 0, 1, 2
"""What a step did to its episode: nothing, ended it from outside (a time limit), or ended the game."""


@dataclass(frozen=True)
class Layout:
    """The size of a store.

    Attributes:
        num_envs: streams of play that are kept side by side.
        window: observations of each stream that can be drawn.
        stack: observations that make a state.
        frame_shape: shape of one observation.
        frame_dtype: uint8 or float32.
        slack: further observations of each stream that stay readable, so that a run which is killed can go back
            to its last checkpoint without a copy: what the checkpoint needs has not been overwritten yet.
    """

    num_envs: int
    window: int
    stack: int
    frame_shape: tuple[int, ...]
    frame_dtype: np.dtype
    slack: int = 0

    @property
    def rows(self) -> int:
        return self.window + self.slack + self.stack - 1

    @property
    def columns(self) -> dict[str, tuple[np.dtype, tuple[int, ...]]]:
        """Name of each array -> its type and the shape of one entry."""
        return {
            "frame": (np.dtype(self.frame_dtype), self.frame_shape),
            "action": (np.dtype(np.int64), ()),
            "reward": (np.dtype(np.float32), ()),
            "end": (np.dtype(np.uint8), ()),
            "acted": (np.dtype(np.bool_), ()),
            "first": (np.dtype(np.bool_), ()),
        }

    @property
    def bytes(self) -> int:
        """Memory of the whole store."""
        return self.rows * self.num_envs * sum(t.itemsize * prod(shape) for t, shape in self.columns.values())

    @property
    def state_shape(self) -> tuple[int, ...]:
        """Shape of a state: the stack is laid along the first axis; a plain image [H, W] gets one for it."""
        first, *rest = self.frame_shape if len(self.frame_shape) != 2 else (1, *self.frame_shape)
        return (self.stack * first, *rest)


class FrameStore:
    """A ring of observations per environment, with the action, the reward and the end that followed each.

    Row `t` holds the observation at tick `t` of every stream and what was done there. The newest row is `head`:
    it has an observation, and no action yet. A stream whose episode ended at `t` holds the true last observation in
    row `t + 1`, where nobody acts, and the first one of its next episode in row `t + 2`.

    With a `directory` the arrays are memory-mapped files there, which outlive the process.

    Args:
        layout: the sizes.
        directory: where the files lie, or None for plain memory.
        device: where states and batches are gathered. On CUDA the frames have a copy there.
        resume: whether the files of an earlier process are to be taken up; they are made anew otherwise.

    Raises:
        MerlinError: the disk has no room for the files, or those to be taken up are not there or of another size.
    """

    def __init__(
        self,
        layout: Layout,
        directory: Path | None = None,
        device: torch.device | str = "cpu",
        resume: bool = False,
    ) -> None:
        self.layout = layout
        self.head = -1
        entries = layout.rows * layout.num_envs
        arrays = {
            name: _allocate(directory, name, (entries, *shape), dtype, resume)
            for name, (dtype, shape) in layout.columns.items()
        }
        self._maps = [array for array in arrays.values() if isinstance(array, np.memmap)]
        # Plain views: indexing a memmap itself costs several times as much.
        self._frame, self._action, self._reward, self._end, self._acted, self._first = (
            np.asarray(array).view(np.ndarray) for array in arrays.values()
        )
        self._frames = torch.from_numpy(self._frame.reshape(entries, -1))
        self._device = torch.device(device)
        self._mirror = self._frames if self._device.type == "cpu" else torch.empty_like(self._frames, device=device)
        self._envs = np.arange(layout.num_envs)

    def begin(self, observation: np.ndarray) -> None:
        """Stores the first observation of every stream, [num_envs, *frame_shape]."""
        self._put(observation, np.ones(self.layout.num_envs, bool))

    def record(
        self,
        action: np.ndarray,
        reward: np.ndarray,
        end: np.ndarray,
        acted: np.ndarray,
        observation: np.ndarray,
        first: np.ndarray,
    ) -> None:
        """Stores what was done at `head`, and the observations that followed; all arrays are [num_envs, …].

        Args:
            action: int64, what was done.
            reward: what it was worth for learning.
            end: GOES_ON, CUT or TERMINAL.
            acted: False where the stream was reset instead, so that there is no transition.
            observation: what was seen next.
            first: True where `observation` begins an episode.
        """
        at = self.index(self.head, self._envs)
        self._action[at], self._reward[at], self._end[at], self._acted[at] = action, reward, end, acted
        self._put(observation, first)

    def index(self, row: np.ndarray | int, env: np.ndarray) -> np.ndarray:
        """Returns where the observation of stream `env` at tick `row` lies."""
        return row % self.layout.rows * self.layout.num_envs + env

    def locate(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the tick and the stream of what lies at `index`; the inverse of `index` for retained rows."""
        row, env = np.divmod(index, self.layout.num_envs)
        return self.head - (self.head - row) % self.layout.rows, env

    @property
    def oldest(self) -> int:
        """The oldest tick that can be drawn."""
        return max(0, self.head - self.layout.window + 1)

    def acted(self, row: np.ndarray | int, env: np.ndarray) -> np.ndarray:
        """Returns whether a transition begins there."""
        return self._acted[self.index(row, env)]

    def state(self) -> torch.Tensor:
        """Returns the stacked states that the streams are in now, [num_envs, *state_shape], on the store's device."""
        return self._stacks(np.full(self.layout.num_envs, self.head), self._envs)

    def gather(self, row: np.ndarray, env: np.ndarray, n_step: int, gamma: float) -> tuple[torch.Tensor, ...]:
        """Returns observation, action, reward, next observation and discount of the transitions that begin there.

        Rewards are summed over `n_step` steps or until the episode ends, whichever comes first. An episode that was cut
        bootstraps from its own last observation, one that ended has discount 0.

        Args:
            row: [B] ticks, each at most `head - n_step`.
            env: [B] streams.
            n_step: rewards to sum.
            gamma: discount per step.
        """
        steps = row[:, None] + np.arange(n_step)
        at = self.index(steps, env[:, None])
        ends = self._end[at]
        alive = np.ones(ends.shape, bool)
        np.logical_and.accumulate(ends[:, :-1] == GOES_ON, axis=1, out=alive[:, 1:])
        powers = gamma ** np.arange(n_step + 1)
        reward = (self._reward[at] * alive * powers[:-1]).sum(axis=1)
        summed = alive.sum(axis=1)
        discount = powers[summed] * ~((ends == TERMINAL) & alive).any(axis=1)
        both = self._stacks(np.concatenate([row, row + summed]), np.concatenate([env, env]))
        observation, next_observation = both[: len(row)], both[len(row) :]
        return (
            observation,
            torch.from_numpy(self._action[at[:, 0]]),
            torch.from_numpy(reward.astype(np.float32)),
            next_observation,
            torch.from_numpy(discount.astype(np.float32)),
        )

    def flush(self) -> None:
        """Hands what is stored to the disk, where there is one."""
        for array in self._maps:
            array.flush()

    def state_dict(self) -> dict:
        """Returns what, beside the files, restores the store."""
        return {"head": self.head}

    def load_state_dict(self, state: dict) -> None:
        """Goes back to a tick that lies at most `slack` rows behind the newest that was written."""
        self.head = state["head"]
        if self._mirror is not self._frames:
            self._mirror.copy_(self._frames)

    def _put(self, observation: np.ndarray, first: np.ndarray) -> None:
        self.head += 1
        start = self.head % self.layout.rows * self.layout.num_envs
        rows = slice(start, start + self.layout.num_envs)
        self._frame[rows] = observation
        self._first[rows] = first
        self._acted[rows] = False
        if self._mirror is not self._frames:
            self._mirror[rows].copy_(self._frames[rows], non_blocking=True)

    def _stacks(self, row: np.ndarray, env: np.ndarray) -> torch.Tensor:
        """Returns [B, *state_shape]; what lies before an episode's first observation is 0."""
        stack = self.layout.stack
        back = np.arange(stack - 1, -1, -1)
        at = self.index(row[:, None] - back, env[:, None])
        frames = self._mirror.index_select(0, torch.from_numpy(at.ravel()).to(self._device))
        frames = frames.view(len(row), stack, -1)
        if stack > 1:
            # A frame belongs to the stack unless an episode begins between it and the newest one.
            first = self._first[at[:, 1:]]
            before_start = np.logical_or.accumulate(first[:, ::-1], axis=1)[:, ::-1].copy()
            if before_start.any():
                frames[:, :-1][torch.from_numpy(before_start).to(self._device)] = 0
        return frames.view(len(row), *self.layout.state_shape)


def _allocate(directory: Path | None, name: str, shape: tuple[int, ...], dtype: np.dtype, resume: bool) -> np.ndarray:
    """Returns an array of zeros, or with `resume` the one that an earlier process left in `directory`."""
    if directory is None:
        return np.zeros(shape, dtype)
    path = directory / f"{name}.bin"
    size = prod(shape) * dtype.itemsize
    if resume:
        found = path.stat().st_size if path.exists() else 0
        if found != size:
            raise MerlinError(
                f"{path} has {found:,} bytes where the checkpoint needs {size:,}: the replay was deleted, cut or made "
                f"by another version. Bring it back, or delete the run's folder {directory.parent} to train it anew."
            )
    else:
        directory.mkdir(parents=True, exist_ok=True)
        # Blocks are taken now, so that a full disk is met before the first step and not by a signal in the middle.
        with path.open("wb") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, size)
            except OSError as error:
                path.unlink()
                raise MerlinError(
                    f"{path}: the replay needs {size / 2**20:,.0f} MiB on this disk, which cannot be had "
                    f"({error.strerror}). Free some space, choose another --results folder, or lower memory_size."
                ) from error
    return np.memmap(path, dtype, "r+", shape=shape)
