"""Environments: several copies of a game behind one seam."""

from collections.abc import Mapping
from typing import Any

from merlin.envs import names
from merlin.envs.atari import AtariEnv
from merlin.envs.base import BaseEnv, Episode, Step
from merlin.envs.gym_env import BaseGymEnv
from merlin.envs.gymnasium_env import GymnasiumEnv
from merlin.envs.pong import PongEnv
from merlin.registry import Family, Registry

__all__ = [
    "AtariEnv",
    "BaseEnv",
    "BaseGymEnv",
    "Episode",
    "GymnasiumEnv",
    "PongEnv",
    "Step",
    "env_registry",
    "resolve",
]


def resolve(name: str) -> tuple[type[BaseEnv], str, Mapping[str, Any]] | None:
    """Finds an environment that is not registered: an Atari game in any spelling, or what Gymnasium knows.

    Returns:
        its class, the one name to use from then on and defaults for its parameters; or None.

    Raises:
        InputError: a module named in front of a colon cannot be imported.
    """
    # Gymnasium first: its Blackjack-v1 is a game of cards, but `blackjack` alone is an Atari cartridge.
    if "-v" in name and (env_id := names.gymnasium_id(name)):
        return GymnasiumEnv, env_id, {}
    if game := names.atari_game(name):
        return AtariEnv, names.atari_id(game), {}
    if env_id := names.gymnasium_id(name):
        return GymnasiumEnv, env_id, {}
    return None


env_registry = Registry(
    "env",
    [PongEnv],
    resolve=resolve,
    other_names=names.suggestions,
    families={
        "any Atari game": Family(AtariEnv, names.atari_names),
        "any Gymnasium id": Family(GymnasiumEnv, names.gymnasium_ids),
    },
)
