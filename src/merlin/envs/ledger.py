"""The account of the running episodes: what it takes to play each of them again."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Episode:
    """A finished episode. Its seed and its actions are all that it takes to play it again.

    Attributes:
        env_index: the copy that played it.
        episode_index: its number among the episodes of that copy, from 0.
        seed: what the copy was reset with.
        actions: int64 [steps].
        reward: the game's own reward, unclipped, summed over the whole episode.
        steps: the agent's steps.
        frames: frames (of the emulator, or steps of a plain environment) that passed, those of the reset left
            out.
        terminated: the game ended.
        truncated: it was cut off, by a limit of time for example; never true together with `terminated`.
    """

    env_index: int
    episode_index: int
    seed: int
    actions: np.ndarray
    reward: float
    steps: int
    frames: int
    terminated: bool
    truncated: bool


class Ledger:
    """Seeds, actions and sums of the episodes that the copies are in; arrays, one entry per copy."""

    def __init__(self, num_envs: int):
        self.episode_index = np.full(num_envs, -1, np.int64)
        self.seed = np.zeros(num_envs, np.int64)
        self.steps = np.zeros(num_envs, np.int64)
        self.reward = np.zeros(num_envs, np.float64)
        self.frames = np.zeros(num_envs, np.int64)
        self.ended = np.zeros(num_envs, bool)
        self._actions = np.zeros((num_envs, 1024), np.int64)

    def actions(self, env_index: int) -> np.ndarray:
        """Returns the actions of a copy since its reset, int64 [steps]."""
        return self._actions[env_index, : self.steps[env_index]].copy()

    def begin(self, copies: np.ndarray) -> None:
        """Opens empty accounts for these copies (bool [num_envs]); index and seed are the caller's to set."""
        self.steps[copies] = 0
        self.reward[copies] = 0.0
        self.frames[copies] = 0
        self.ended[copies] = False

    def record(
        self,
        copies: np.ndarray,
        actions: np.ndarray,
        reward: np.ndarray,
        frames: np.ndarray,
        terminated: np.ndarray,
        truncated: np.ndarray,
    ) -> list[Episode]:
        """Enters one step of these copies (bool [num_envs]; the others stay) and returns the episodes it
        ended.
        """
        if int(self.steps.max()) == self._actions.shape[1]:
            self._actions = np.concatenate([self._actions, np.zeros_like(self._actions)], axis=1)
        self._actions[copies, self.steps[copies]] = actions[copies]
        self.steps[copies] += 1
        self.reward[copies] += reward[copies]
        self.frames[copies] += frames[copies]
        self.ended |= copies & (terminated | truncated)
        return [
            Episode(
                env_index=int(index),
                episode_index=int(self.episode_index[index]),
                seed=int(self.seed[index]),
                actions=self.actions(index),
                reward=float(self.reward[index]),
                steps=int(self.steps[index]),
                frames=int(self.frames[index]),
                terminated=bool(terminated[index]),
                truncated=bool(truncated[index]),
            )
            for index in np.flatnonzero(copies & (terminated | truncated))
        ]
