"""Environments of Gymnasium by their ids, and how observations become frames."""

import numpy as np
import pytest
from gymnasium import spaces

from merlin.envs import Episode
from merlin.envs import spaces as frames
from merlin.errors import InputError


def test_the_time_limit_of_cartpole_is_a_truncation_and_the_fall_is_not(build):
    """The pole is held up by leaning the cart the way that it falls."""
    env = build("CartPole-v1", num_envs=2)
    observation = env.reset()
    ends: dict[int, Episode] = {}
    for _ in range(600):
        _, _, angle, turning = observation[1]
        env.send(np.array([0, int(angle + 0.3 * turning + 0.05 * observation[1, 0] > 0)]))
        step = env.recv()
        observation = step.observation
        for episode in step.episodes:
            ends.setdefault(episode.env_index, episode)
    assert (ends[0].terminated, ends[0].truncated) == (True, False)
    assert ends[0].steps < 20
    assert (ends[1].terminated, ends[1].truncated, ends[1].steps) == (False, True, 500)


def test_the_specification(build):
    env = build("FrozenLake-v1", env_kwargs={"map_name": "8x8"})
    assert env.spec["environment"] == "FrozenLake-v1"
    assert env.spec["arguments"] == {"map_name": "8x8"}
    assert env.frame_shape == (64,)
    assert build("CartPole-v1").spec["max_frames_per_episode"] == 500


def test_arguments_that_do_not_exist(build):
    with pytest.raises(InputError, match="cannot be made with"):
        build("CartPole-v1", env_kwargs={"gravity_of": "Mars"})


def test_numbers_that_count_become_one_hot(build):
    observation = build("FrozenLake-v1").reset()
    assert observation.dtype == np.float32
    assert observation[0].tolist() == [1.0] + [0.0] * 15


@pytest.mark.parametrize(
    ("space", "shape", "dtype"),
    [
        (spaces.Box(0, 255, (20, 30), np.uint8), (20, 30), np.uint8),
        (spaces.Box(0, 255, (20, 30, 1), np.uint8), (20, 30), np.uint8),
        (spaces.Box(0, 255, (20, 30, 3), np.uint8), (3, 20, 30), np.uint8),
        (spaces.Box(0, 255, (4, 20, 30), np.uint8), (4, 20, 30), np.uint8),
        (spaces.Box(0, 255, (128,), np.uint8), (128,), np.float32),
        (spaces.Box(-1, 1, (3, 2), np.float64), (6,), np.float32),
        (spaces.Discrete(4, start=2), (4,), np.float32),
        (spaces.Dict({"a": spaces.Discrete(3), "b": spaces.Box(0, 1, (2,))}), (5,), np.float32),
    ],
)
def test_frames_of_spaces(space, shape, dtype):
    encoder = frames.encoder(space, "x")
    assert (encoder.shape, encoder.dtype) == (shape, dtype)
    space.seed(0)
    for _ in range(3):
        seen = space.sample()
        frame = encoder.encode(seen)
        assert (frame.shape, frame.dtype) == (shape, dtype)
        if isinstance(space, spaces.Box):
            assert np.sort(frame.ravel()) == pytest.approx(np.sort(seen.ravel()))
            assert not np.shares_memory(frame, seen)


def test_channels_come_first():
    space = spaces.Box(0, 255, (20, 30, 3), np.uint8)
    image = np.arange(20 * 30 * 3).astype(np.uint8).reshape(20, 30, 3)
    frame = frames.encoder(space, "x").encode(image)
    np.testing.assert_array_equal(frame[1], image[:, :, 1])


def test_observations_without_a_fixed_length_are_refused():
    with pytest.raises(InputError, match="no fixed length"):
        frames.encoder(spaces.Sequence(spaces.Discrete(2)), "x")
