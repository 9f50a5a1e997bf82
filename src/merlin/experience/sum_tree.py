"""A sum tree: draws an index with a chance proportional to its value, and changes values, in logarithmic time."""

import numpy as np


class SumTree:
    """Non-negative values in the leaves of a binary tree whose inner nodes hold the sums of their two children.

    All operations take whole arrays. A parent is always computed anew from its children, so rounding errors do not
    accumulate, and a tree that is built from its leaves equals the one that was changed step by step.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._depth = max(1, (size - 1).bit_length())
        self._leaves = 1 << self._depth
        self._nodes = np.zeros(2 * self._leaves)

    @property
    def total(self) -> float:
        """The sum of all values."""
        return float(self._nodes[1])

    @property
    def values(self) -> np.ndarray:
        """All values, [size]."""
        return self._nodes[self._leaves : self._leaves + self.size]

    def get(self, index: np.ndarray) -> np.ndarray:
        """Returns the values at `index`."""
        return self._nodes[self._leaves + index]

    def set(self, index: np.ndarray, value: np.ndarray | float) -> None:
        """Changes the values at `index`; where an index occurs twice, the last value holds."""
        node = self._leaves + index
        self._nodes[node] = value
        for _ in range(self._depth):
            node = node >> 1
            self._nodes[node] = self._nodes[2 * node] + self._nodes[2 * node + 1]

    def fill(self, values: np.ndarray) -> None:
        """Changes all values at once, [size]."""
        self._nodes[self._leaves : self._leaves + self.size] = values
        for level in range(self._depth - 1, -1, -1):
            node = np.arange(1 << level, 2 << level)
            self._nodes[node] = self._nodes[2 * node] + self._nodes[2 * node + 1]

    def find(self, mass: np.ndarray) -> np.ndarray:
        """Returns for each `mass` in [0, total) the index in whose share of the total it falls.

        An index whose value is 0 is never returned, unless all are.
        """
        node = np.ones(len(mass), np.int64)
        rest = np.array(mass, np.float64)
        for _ in range(self._depth):
            left = 2 * node
            left_sum = self._nodes[left]
            # The second condition catches a mass that rounding has pushed past the last value.
            right = (rest >= left_sum) & (self._nodes[left + 1] > 0)
            rest = np.where(right, rest - left_sum, rest)
            node = left + right
        return node - self._leaves
