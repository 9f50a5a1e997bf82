"""Which stored transitions make the next batch."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from merlin.experience.frame_store import FrameStore
from merlin.experience.sum_tree import SumTree

SMALLEST_PRIORITY = 1e-6
"""Added to each TD error, so that no transition is given up for good."""


class Sampler(ABC):
    """Draws transitions of a store whose n-step window is complete, or whose row is old enough for it to be."""

    wants_errors: ClassVar[bool]
    """Whether TD errors change what is drawn."""

    @abstractmethod
    def advance(self) -> None:
        """Takes note that the store has grown by one row."""

    @abstractmethod
    def sample(self, batch_size: int, exponent: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns ticks, streams and importance weights (to the power `exponent`), each [batch_size]."""

    @abstractmethod
    def update(self, index: np.ndarray, td_error: np.ndarray) -> None:
        """Takes note of the absolute TD errors of transitions that were drawn."""

    @abstractmethod
    def state_dict(self) -> dict:
        """Returns what restores the sampler."""

    @abstractmethod
    def load_state_dict(self, state: dict) -> None:
        """Restores the sampler."""


class UniformSampler(Sampler):
    """Draws all transitions alike."""

    wants_errors = False

    def __init__(self, store: FrameStore, n_step: int, generator: np.random.Generator) -> None:
        self._store, self._n_step, self._generator = store, n_step, generator

    def advance(self) -> None:
        pass

    def sample(self, batch_size: int, exponent: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """See `Sampler.sample`; raises ValueError where there is nothing to draw."""
        num_envs = self._store.layout.num_envs
        low, high = self._store.oldest, self._store.head - self._n_step + 1
        if high <= low:
            raise ValueError("no transition is complete yet")
        # Rows where nobody acted are few: draw twice as many as are needed, and list all only if that is not enough.
        drawn = self._generator.integers((high - low) * num_envs, size=2 * batch_size)
        row, env = low + drawn // num_envs, drawn % num_envs
        good = np.flatnonzero(self._store.acted(row, env))[:batch_size]
        if len(good) < batch_size:
            row, env = (part.ravel() for part in np.mgrid[low:high, :num_envs])
            every = np.flatnonzero(self._store.acted(row, env))
            if not len(every):
                raise ValueError("no transition is complete yet")
            good = every[self._generator.integers(len(every), size=batch_size)]
        return row[good], env[good], np.ones(batch_size, np.float32)

    def update(self, index: np.ndarray, td_error: np.ndarray) -> None:
        pass

    def state_dict(self) -> dict:
        return {"generator": self._generator.bit_generator.state}

    def load_state_dict(self, state: dict) -> None:
        self._generator.bit_generator.state = state["generator"]


class PrioritizedSampler(Sampler):
    """Draws transitions in proportion to a power of their last TD error (Schaul et al. 2016, the proportional variant).

    New transitions get the highest priority so far, so that each is expected to be drawn soon. Draws are stratified:
    one from each of `batch_size` equal parts of the total.
    """

    wants_errors = True

    def __init__(self, store: FrameStore, n_step: int, exponent: float, generator: np.random.Generator) -> None:
        self._store, self._n_step, self._exponent, self._generator = store, n_step, exponent, generator
        self._tree = SumTree(store.layout.rows * store.layout.num_envs)
        self._highest = 1.0
        self._count = 0
        self._envs = np.arange(store.layout.num_envs)

    def advance(self) -> None:
        """Lets the row in whose n-step window is now complete, and the one out that has left the store's window."""
        entering = self._store.head - self._n_step
        if entering >= self._store.oldest:
            acted = self._store.acted(entering, self._envs)
            self._tree.set(self._store.index(entering, self._envs), np.where(acted, self._highest, 0.0))
            self._count += int(acted.sum())
        if self._store.oldest > 0:
            leaving = self._store.index(self._store.oldest - 1, self._envs)
            self._count -= int((self._tree.get(leaving) > 0).sum())
            self._tree.set(leaving, 0.0)

    def sample(self, batch_size: int, exponent: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """See `Sampler.sample`. Weights are divided by the largest of the batch, as in the paper."""
        if not self._count:
            raise ValueError("no transition is complete yet")
        part = self._tree.total / batch_size
        index = self._tree.find((np.arange(batch_size) + self._generator.random(batch_size)) * part)
        chance = self._tree.get(index) / self._tree.total
        weight = (self._count * chance) ** -exponent
        return *self._store.locate(index), (weight / weight.max()).astype(np.float32)

    def update(self, index: np.ndarray, td_error: np.ndarray) -> None:
        priority = (td_error.astype(np.float64) + SMALLEST_PRIORITY) ** self._exponent
        self._highest = max(self._highest, float(priority.max()))
        self._tree.set(index, priority)

    def state_dict(self) -> dict:
        return {
            "generator": self._generator.bit_generator.state,
            "priorities": self._tree.values,
            "highest": self._highest,
            "count": self._count,
        }

    def load_state_dict(self, state: dict) -> None:
        self._generator.bit_generator.state = state["generator"]
        self._tree.fill(np.asarray(state["priorities"]))
        self._highest, self._count = state["highest"], state["count"]
