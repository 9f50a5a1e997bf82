"""Tiny games that an agent solves in seconds, as a user would write them."""

import gymnasium
import numpy as np

from merlin.envs import BaseGymEnv, env_registry


class CorridorGame(gymnasium.Env):
    """Six places in a row. The last one ends the game with reward 10; every other step costs nothing; 30 steps at most.

    Which of the two actions leads on differs from place to place, so that only what was seen tells.
    """

    observation_space = gymnasium.spaces.Box(0, 1, (6,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)
    leads_on = (0, 1, 1, 0, 1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.steps = 0, 0
        return self._see(), {}

    def step(self, action):
        self.steps += 1
        self.place = self.place + 1 if action == self.leads_on[self.place] else max(0, self.place - 1)
        won = self.place == 5
        return self._see(), 10.0 * won, won, self.steps >= 30, {}

    def _see(self):
        return np.eye(6, dtype=np.float32)[self.place]


@env_registry.register
class Corridor(BaseGymEnv):
    """A game in which a random walker needs 40 steps and a clever one 5."""

    name = "corridor"

    def make_env(self, render_mode):
        return CorridorGame()


class PicturedCorridorGame(CorridorGame):
    """The same corridor as a grey picture, in which a bright square stands at the place."""

    observation_space = gymnasium.spaces.Box(0, 255, (36, 36), np.uint8)

    def _see(self):
        picture = np.zeros((36, 36), np.uint8)
        picture[12:24, 6 * self.place : 6 * self.place + 6] = 255
        return picture


@env_registry.register
class PicturedCorridor(BaseGymEnv):
    """The corridor for nets that take images."""

    name = "pictured_corridor"

    def make_env(self, render_mode):
        return PicturedCorridorGame()
