"""Records for the tests of observers."""

from typing import Any

import numpy as np

from merlin.training.record import EpisodeRecord


def record(episode: int, **values) -> EpisodeRecord:
    defaults: dict[str, Any] = {
        "env_index": 0,
        "env_steps": 10 * episode,
        "frames": 40 * episode,
        "updates": 0,
        "epsilon": 1.0,
        "reward": float(-episode),
        "learning_reward": -1.0,
        "mean_loss": None,
        "mean_q": None,
        "steps": 10,
        "seconds": 0.5,
        "terminated": True,
        "truncated": False,
        "seed": 7 * episode,
        "actions": np.arange(10),
    }
    return EpisodeRecord(episode=episode, **(defaults | values))
