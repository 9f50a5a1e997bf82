"""Tools for the tests of environments: make one, play it, write down what happened."""

import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from merlin.envs import BaseEnv, env_registry
from merlin.envs.base import Episode, Step


def seed_of(env_index: int, episode_index: int) -> int:
    """Seeds that are the same for a copy, however many others there are."""
    return 1000 * env_index + episode_index


@pytest.fixture
def build() -> Iterator[Callable[..., BaseEnv]]:
    """Makes environments by name or class and closes them after the test."""
    made = []

    def build(env: str | type[BaseEnv], threads: int = 1, **parameters: Any) -> BaseEnv:
        if isinstance(env, str):
            entry = env_registry.find(env)
            cls = entry.cls
            if "env_name" in cls.Parameters.model_fields:
                parameters = {"env_name": entry.name, **parameters}
        else:
            cls = env
        made.append(cls(cls.Parameters(**parameters), seed_of, threads))
        return made[-1]

    yield build
    for env in made:
        env.close()


class Player:
    """Acts at random, each copy by its own generator, and writes down one line per copy and tick."""

    def __init__(self, env: BaseEnv):
        self.env = env
        self.generators = [np.random.default_rng(index) for index in range(env.num_envs)]
        self.lines: list[list[tuple]] = [[] for _ in range(env.num_envs)]
        self.episodes: list[Episode] = []
        self.steps: list[Step] = []

    def reset(self) -> "Player":
        observation = self.env.reset()
        for index, lines in enumerate(self.lines):
            lines.append((zlib.crc32(observation[index].tobytes()),))
        return self

    def play(self, ticks: int) -> "Player":
        for _ in range(ticks):
            actions = np.array([generator.integers(self.env.num_actions) for generator in self.generators])
            self.env.send(actions)
            step = self.env.recv()
            self.steps.append(step)
            self.episodes += step.episodes
            for index, lines in enumerate(self.lines):
                flags = (step.terminated, step.truncated, step.first, step.life_lost, step.frames)
                picture = zlib.crc32(step.observation[index].tobytes())
                lines.append((picture, float(step.reward[index]), *(int(flag[index]) for flag in flags)))
        return self


@pytest.fixture
def player() -> type[Player]:
    return Player
