"""What passes between an environment and its users: its looks, and one tick of all its copies."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from merlin.envs.ledger import Episode


@dataclass(frozen=True)
class Layout:
    """What an environment looks like from outside.

    Attributes:
        num_actions: actions are the numbers 0 … num_actions - 1.
        frame_shape: one observation of one copy, without stacking: [H, W], [C, H, W] or [d].
        frame_dtype: uint8 for images, float32 for vectors.
        action_meanings: one word per action.
        frames_per_second: of the films that `replay` gives.
        spec: the one effective specification, plain values; `spec["environment"]` is its name.
    """

    num_actions: int
    frame_shape: tuple[int, ...]
    frame_dtype: type[np.uint8] | type[np.float32]
    action_meanings: tuple[str, ...]
    frames_per_second: float
    spec: dict[str, Any]


@dataclass(frozen=True)
class Tick:
    """What a subclass reports of one tick. Of a copy that was reset, only the observation counts.

    Attributes:
        observation: [num_envs, *frame_shape], a fresh array that nobody writes into again.
        reward: float64 [num_envs], the game's own, summed over the frames that passed.
        terminated: bool [num_envs].
        truncated: bool [num_envs].
        frames: int64 [num_envs], frames that passed in this tick.
        life_lost: bool [num_envs].
    """

    observation: np.ndarray
    reward: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    frames: np.ndarray
    life_lost: np.ndarray


@dataclass(frozen=True)
class Step:
    """One tick of all copies, as `recv` gives it.

    Attributes:
        observation: [num_envs, *frame_shape]. After a last step it is the true last frame of that episode.
        reward: float64 [num_envs], the game's own, unclipped, summed over the frames of the step; 0 where
            `first`.
        terminated: bool [num_envs], the game ended with this step.
        truncated: bool [num_envs], it was cut off after this step; never true together with `terminated`.
        first: bool [num_envs], this observation starts an episode: the copy was reset in this tick instead of
            stepped, so its action was ignored.
        life_lost: bool [num_envs], this step cost a life *and* the environment's `life_loss_terminal` asks
            learning to take that for the end; always false otherwise. The episode goes on.
        frames: int64 [num_envs], frames that passed in this tick; 0 where `first`.
        episodes: the episodes that ended with this tick, in order of the copies.
    """

    observation: np.ndarray
    reward: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    first: np.ndarray
    life_lost: np.ndarray
    frames: np.ndarray
    episodes: list[Episode] = field(default_factory=list)
