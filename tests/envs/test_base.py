"""The seam itself, seen through an environment that a user might write."""

import threading
from typing import Any

import gymnasium
import numpy as np
import pytest

from merlin.envs import BaseGymEnv
from merlin.errors import InputError, MerlinError


class Corridor(gymnasium.Env):
    """Walk `length` to the right; each step pays its number; seen is [position, a random number]."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = gymnasium.spaces.Discrete(2, start=5)
    metadata = {"render_modes": ["rgb_array"], "render_fps": 12}  # noqa: RUF012

    def __init__(self, length: int, render_mode: str | None = None):
        self.length, self.render_mode = length, render_mode

    def _see(self) -> np.ndarray:
        return np.array([self.position, self.np_random.random()])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        self.position, self.steps = 0, 0
        return self._see(), {}

    def step(self, action: int):
        assert action in self.action_space
        self.position += action - 5
        self.steps += 1
        ended = self.position == self.length
        return self._see(), float(self.steps), ended, self.steps >= 10, {}

    def render(self):
        return np.full((4, 6, 3), self.position, np.uint8)


class CorridorEnv(BaseGymEnv):
    """All that a user has to write."""

    name = "corridor"

    def make_env(self, render_mode: str | None) -> gymnasium.Env:
        return Corridor(3, render_mode)


def tick(env, *actions):
    env.send(np.array(actions))
    return env.recv()


def test_a_users_environment(build):
    env = build(CorridorEnv, num_envs=2)
    assert (env.num_actions, env.frame_shape, env.frame_dtype) == (2, (2,), np.float32)
    assert env.spec["environment"] == "corridor"
    assert env.reset()[:, 0].tolist() == [0, 0]
    for _ in range(2):
        tick(env, 1, 0)
    end = tick(env, 1, 0)
    assert end.observation[:, 0].tolist() == [3, 0]
    assert end.terminated.tolist() == [True, False]
    assert end.reward.tolist() == [3, 3]
    (episode,) = end.episodes
    assert (episode.env_index, episode.reward, episode.steps, episode.frames) == (0, 6, 3, 3)
    assert episode.actions.tolist() == [1, 1, 1]
    after = tick(env, 1, 0)
    assert after.first.tolist() == [True, False]
    assert after.observation[:, 0].tolist() == [0, 0]
    assert after.reward.tolist() == [0, 4]
    assert after.frames.tolist() == [0, 1]
    assert tick(env, 0, 0).reward.tolist() == [1, 5]


def test_what_ends_and_runs_out_of_time_at_once_has_ended(build):
    env = build(CorridorEnv)
    env.reset()
    for action in (0, 0, 0, 0, 0, 0, 0, 1, 1):
        tick(env, action)
    end = tick(env, 1)
    assert (end.terminated[0], end.truncated[0]) == (True, False)
    assert end.episodes[0].terminated
    assert not end.episodes[0].truncated


def test_cut_off(build):
    env = build(CorridorEnv)
    env.reset()
    for _ in range(9):
        tick(env, 0)
    end = tick(env, 0)
    assert (end.terminated[0], end.truncated[0]) == (False, True)
    assert end.episodes[0].truncated


def test_frame_skip_sums_rewards_and_stops_at_the_end(build):
    env = build(CorridorEnv, frame_skip=2)
    env.reset()
    assert tick(env, 1).reward[0] == 1 + 2
    end = tick(env, 1)
    assert (end.reward[0], end.frames[0]) == (3, 1)
    assert end.episodes[0].frames == 3
    assert [int(picture[0, 0, 0]) for picture in env.replay(0, np.array([1, 1]))] == [0, 1, 2, 3]
    assert env.frames_per_second == 12


@pytest.mark.parametrize("beside", [False, True])
def test_actions_are_copied_and_stepping_happens_where_the_class_says(build, beside):
    env = build(CorridorEnv)
    env._beside = beside
    env.reset()
    gate, threads = threading.Event(), []
    advance = env._advance

    def slow(*arguments):
        threads.append(threading.current_thread())
        assert gate.wait(10)
        return advance(*arguments)

    env._advance = slow
    actions = np.array([1])
    env.send(actions)
    actions[0] = 0
    gate.set()
    assert env.recv().observation[0, 0] == 1
    assert (threads[0] is not threading.current_thread()) == beside


def test_misuse_is_refused(build):
    env = build(CorridorEnv)
    with pytest.raises(RuntimeError, match="before reset"):
        env.send(np.array([0]))
    env.reset()
    with pytest.raises(RuntimeError, match="recv without send"):
        env.recv()
    for wrong in ([2], [-1], [0, 0]):
        with pytest.raises(ValueError, match=r"0 … 1"):
            env.send(np.array(wrong))
    env.send(np.array([0]))
    for method in (env.reset, env.state_dict, lambda: env.send(np.array([0]))):
        with pytest.raises(RuntimeError, match="between send and recv"):
            method()
    env.recv()


def test_close_joins_the_thread_and_may_be_called_again(build):
    before = threading.active_count()
    env = build(CorridorEnv)
    env._beside = True
    env.reset()
    env.send(np.array([0]))
    assert threading.active_count() == before + 1
    env.close()
    env.close()
    assert threading.active_count() == before
    with pytest.raises(RuntimeError, match="after close"):
        env.send(np.array([0]))


class Broken(Corridor):
    """Goes wrong when it stands on 2."""

    def __init__(self, what: str):
        super().__init__(3)
        self.what = what

    def step(self, action: int):
        seen, reward, *rest = super().step(action)
        if self.position == 2:
            if self.what == "raise":
                raise ZeroDivisionError("the floor gave way")
            seen = seen * np.nan if self.what == "observation" else seen
            reward = -np.inf if self.what == "reward" else reward
        return seen, reward, *rest


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (
            "reward",
            r"broken, copy 1, step 4 \(step 3 of its episode 0\): the reward is not a finite .*-inf",
        ),
        ("observation", r"broken, copy 1, step 4 .*: the observation is not a finite number: \[nan, nan\]"),
        ("raise", r"broken failed in step 4: ZeroDivisionError: the floor gave way"),
    ],
)
def test_what_goes_wrong_inside_surfaces_in_recv(build, what, message):
    class BrokenEnv(BaseGymEnv):
        name = "broken"

        def make_env(self, render_mode: str | None) -> gymnasium.Env:
            return Broken(what)

    env = build(BrokenEnv, num_envs=2)
    env.reset()
    tick(env, 0, 1)
    tick(env, 0, 0)
    env.send(np.array([0, 1]))
    with pytest.raises(MerlinError, match=message):
        env.recv()


def test_an_environment_that_does_not_repeat_itself_cannot_be_restored(build):
    class Unseeded(Corridor):
        generator = np.random.default_rng(0)

        def _see(self) -> np.ndarray:
            return np.array([self.position, self.generator.random()])

    class UnseededEnv(BaseGymEnv):
        name = "unseeded"

        def make_env(self, render_mode: str | None) -> gymnasium.Env:
            return Unseeded(3)

    env = build(UnseededEnv)
    env.reset()
    tick(env, 1)
    with pytest.raises(MerlinError, match="unseeded does not repeat itself"):
        env.load_state_dict(env.state_dict())


def test_continuous_actions_are_refused(build):
    with pytest.raises(InputError, match="fixed number of actions"):
        build("Pendulum-v1")


def test_a_film_of_what_draws_nothing(build):
    class BlindEnv(BaseGymEnv):
        name = "blind"

        def make_env(self, render_mode: str | None) -> gymnasium.Env:
            blind = Corridor(3)
            blind.render = lambda: None
            return blind

    with pytest.raises(MerlinError, match="draws no pictures"):
        next(build(BlindEnv).replay(0, np.array([0])))
