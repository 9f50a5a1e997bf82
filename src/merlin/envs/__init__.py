"""Environments: several copies of a game behind one seam."""

from merlin.envs.base import BaseEnv, Episode, Step
from merlin.envs.gym_env import BaseGymEnv

__all__ = ["BaseEnv", "BaseGymEnv", "Episode", "Step"]
