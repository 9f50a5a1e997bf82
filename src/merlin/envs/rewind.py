"""Going back to where the copies of an environment were, by playing their running episodes again."""

from collections.abc import Callable
from typing import Any

import numpy as np

from merlin.envs.ledger import Ledger
from merlin.envs.step import Tick
from merlin.errors import MerlinError


def rewind(
    advance: Callable[[np.ndarray, np.ndarray, np.ndarray], Tick], state: dict[str, Any], environment: str
) -> tuple[Ledger, np.ndarray]:
    """Plays the episodes of a `BaseEnv.state_dict` again, all copies in lock-step, so that all arrive at the
    same tick.

    The copy with the longest episode sets the length. The others play anything until their turn comes, and
    are then reset with the seed of their episode, which makes all that follows independent of what they did
    before.

    Args:
        advance: actions [num_envs], reset [num_envs], seeds [num_envs] → Tick.
        state: what `BaseEnv.state_dict` gave.
        environment: its name, for the message.

    Returns:
        the account of the running episodes, and the observations [num_envs, *frame_shape] where they stand.

    Raises:
        MerlinError: the rewards, ends or observations are not those of the first time.
    """
    played = [np.asarray(actions, np.int64) for actions in state["actions"]]
    lengths = np.array([len(actions) for actions in played])
    last = int(lengths.max())
    begin_at = last - lengths
    # Episodes are laid flush right: column t holds what is played in tick t + 1.
    schedule = np.zeros((len(played), last), np.int64)
    for index, actions in enumerate(played):
        schedule[index, begin_at[index] :] = actions

    ledger = Ledger(len(played))
    ledger.episode_index[:] = state["episode_index"]
    ledger.seed[:] = state["seed"]
    idle = np.zeros(len(played), np.int64)
    tick = advance(idle, np.ones(len(played), bool), ledger.seed)
    for now in range(1, last + 1):
        live = begin_at < now
        if (live & ledger.ended).any():
            break  # ended before its time: told below
        # One that waits for its turn may have come to an end.
        over = (tick.terminated | tick.truncated) & ~live
        actions = schedule[:, now - 1]
        tick = advance(actions, over | (begin_at == now), ledger.seed)
        ledger.record(live, actions, tick.reward, tick.frames, tick.terminated, tick.truncated)

    same = (
        np.array_equal(ledger.steps, lengths)
        and np.array_equal(ledger.ended, state["ended"])
        and np.array_equal(ledger.reward, state["reward"])
        and np.array_equal(tick.observation, state["observation"])
    )
    if not same:
        raise MerlinError(
            f"environment {environment} does not repeat itself: the episodes of the checkpoint, played again "
            "from their seeds and actions, came out differently. It must draw all its random numbers from "
            "self.np_random and be the same version as before. Start the run anew in a fresh results folder."
        )
    return ledger, tick.observation
