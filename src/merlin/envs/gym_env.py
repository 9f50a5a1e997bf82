"""Ordinary Gymnasium environments as a BaseEnv; the class that users derive their own environments from."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete

from merlin.envs.base import BaseEnv, Layout, Tick
from merlin.envs.spaces import encoder
from merlin.errors import InputError, MerlinError
from merlin.registry import name_of


class BaseGymEnv(BaseEnv):
    """Steps `num_envs` copies of what `make_env` gives, one after another. A subclass needs nothing but
    `make_env`.

    The environment must draw all its random numbers from its `np_random`, which `reset(seed=…)` seeds; only
    then can its episodes be resumed and filmed. Its actions must be `Discrete`. Observations are turned into
    frames by `merlin.envs.spaces.encoder`.
    """

    frees_python = False

    @abstractmethod
    def make_env(self, render_mode: str | None) -> gymnasium.Env:
        """Makes one copy; `render_mode` is None to play and "rgb_array" to film."""

    def _open(self) -> Layout:
        self._copies = [self.make_env(None) for _ in range(self.num_envs)]
        copy = self._copies[0]
        title = copy.spec.id if copy.spec is not None else name_of(type(self))
        if not isinstance(copy.action_space, Discrete):
            raise InputError(
                f"environment {title}: its actions are {copy.action_space}, "
                "but the agents choose among a fixed number of actions (gymnasium.spaces.Discrete)"
            )
        self._first_action = int(copy.action_space.start)
        self._encoder = encoder(copy.observation_space, title)
        num_actions = int(copy.action_space.n)
        return Layout(
            num_actions=num_actions,
            frame_shape=self._encoder.shape,
            frame_dtype=self._encoder.dtype,
            action_meanings=_action_meanings(copy, num_actions),
            frames_per_second=float(copy.metadata.get("render_fps") or 30),
            spec=self._describe(copy, title, num_actions),
        )

    def _describe(self, copy: gymnasium.Env, title: str, num_actions: int) -> dict[str, Any]:
        return {
            "environment": title,
            "frame_skip": self.parameters.frame_skip,
            "actions": num_actions,
            "frame": f"{np.dtype(self._encoder.dtype).name} {list(self._encoder.shape)}",
            "max_frames_per_episode": copy.spec.max_episode_steps if copy.spec is not None else None,
            "arguments": {k: v for k, v in copy.spec.kwargs.items() if k != "render_mode"}
            if copy.spec is not None
            else {},
            "gymnasium": gymnasium.__version__,
        }

    def _advance(self, actions: np.ndarray, reset: np.ndarray, seeds: np.ndarray) -> Tick:
        n = self.num_envs
        observation = np.empty((n, *self._encoder.shape), self._encoder.dtype)
        reward = np.zeros(n)
        frames = np.zeros(n, np.int64)
        terminated = np.zeros(n, bool)
        truncated = np.zeros(n, bool)
        for index, copy in enumerate(self._copies):
            if reset[index]:
                seen, _ = copy.reset(seed=int(seeds[index]))
            else:
                action = int(actions[index]) + self._first_action
                for _ in range(self.parameters.frame_skip):
                    seen, gained, terminated[index], truncated[index], _ = copy.step(action)
                    reward[index] += float(gained)
                    frames[index] += 1
                    if terminated[index] or truncated[index]:
                        break
            observation[index] = self._encoder.encode(seen)
        return Tick(observation, reward, terminated, truncated, frames, np.zeros(n, bool))

    def replay(self, seed: int, actions: np.ndarray) -> Iterator[np.ndarray]:
        copy = self.make_env("rgb_array")
        try:
            copy.reset(seed=seed)
            yield self._picture(copy)
            for action in actions:
                for _ in range(self.parameters.frame_skip):
                    _, _, terminated, truncated, _ = copy.step(int(action) + self._first_action)
                    yield self._picture(copy)
                    if terminated or truncated:
                        return
        finally:
            copy.close()

    def _picture(self, copy: gymnasium.Env) -> np.ndarray:
        try:
            picture = copy.render()
        except gymnasium.error.DependencyNotInstalled as error:
            raise MerlinError(f"environment {self.spec['environment']} cannot be filmed: {error}") from error
        if not isinstance(picture, np.ndarray) or picture.ndim != 3:
            raise MerlinError(f"environment {self.spec['environment']} draws no pictures, so it cannot be filmed")
        return np.array(picture, dtype=np.uint8)

    def _close(self) -> None:
        for copy in self._copies:
            copy.close()


def _action_meanings(copy: gymnasium.Env, num_actions: int) -> tuple[str, ...]:
    meanings = getattr(copy.unwrapped, "get_action_meanings", None)
    return tuple(meanings()) if meanings is not None else tuple(str(number) for number in range(num_actions))
