"""What the loop tells its observers."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come when the loop starts; all zero in a new run.

    Attributes:
        episode: episodes that have ended.
        episodes: episodes that the run is to have in all.
        env_steps: the agent's steps, summed over the copies of the environment.
        frames: frames that passed in them.
        updates: gradient steps.
    """

    episode: int
    episodes: int
    env_steps: int = 0
    frames: int = 0
    updates: int = 0


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """One finished episode.

    Attributes:
        episode: its number within the run, from 1, in the order in which episodes end.
        env_index: the copy of the environment that played it.
        env_steps: the agent's steps of the whole run when it ended.
        frames: frames of the whole run when it ended.
        updates: gradient steps of the whole run when it ended.
        epsilon: share of random actions when it ended.
        reward: the game's own reward, unclipped, summed over the whole episode.
        learning_reward: the sum of what was learned from: clipped, with penalties.
        mean_loss: over the updates while it was played; None where there was none.
        mean_q: over the same updates, of the values of the actions taken; None where there was none.
        steps: the agent's steps in it.
        seconds: wall time from its reset to its end.
        terminated: the game ended.
        truncated: it was cut off.
        seed: what the copy was reset with.
        actions: int64 [steps]; with the seed, all that it takes to play the episode again.
        last_state: the agent's last observation, as a net sees it (uint8 [stack, H, W] or float32 [d]), for
            pictures of it; None where nobody asked for it.
    """

    episode: int
    env_index: int
    env_steps: int
    frames: int
    updates: int
    epsilon: float
    reward: float
    learning_reward: float
    mean_loss: float | None
    mean_q: float | None
    steps: int
    seconds: float
    terminated: bool
    truncated: bool
    seed: int
    actions: "np.ndarray"
    last_state: "np.ndarray | None" = None

    @property
    def steps_per_second(self) -> float:
        """The agent's steps in this episode per second of wall time."""
        return self.steps / self.seconds if self.seconds > 0 else 0.0
