"""One seed and one run number in, any number of independent generators out.

Every random number of a run comes from a generator that was made here for one named purpose, so that drawing more
numbers for one purpose (a film, an evaluation) never changes those of another.
"""

import zlib

import numpy as np


def sequence(seed: int, run: int, *purpose: str | int) -> np.random.SeedSequence:
    """Returns the root of randomness for one purpose of one run.

    Args:
        seed: the experiment's seed.
        run: the number of the run.
        *purpose: names and numbers that say what the numbers are for, such as `"env", 3`.
    """
    key = tuple(zlib.crc32(part.encode()) if isinstance(part, str) else part for part in purpose)
    return np.random.SeedSequence((seed, run), spawn_key=key)


def generator(seed: int, run: int, *purpose: str | int) -> np.random.Generator:
    """Returns an independent generator for one purpose of one run."""
    return np.random.default_rng(sequence(seed, run, *purpose))


def integer(seed: int, run: int, *purpose: str | int) -> int:
    """Returns an independent integer in [0, 2³¹), for libraries that take a seed as a number."""
    return int(sequence(seed, run, *purpose).generate_state(1)[0] & 0x7FFFFFFF)
