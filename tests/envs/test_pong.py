"""Pong's frames: the field alone, black and white, with the ball in every one."""

import zlib

import numpy as np
import pytest
from pydantic import ValidationError

from merlin.envs import PongEnv
from merlin.envs.pong import COLUMNS, ROWS, THRESHOLD

GOLDEN_FRAME = 0
GOLDEN_PLAY = 0


def test_what_pong_is(build):
    env = build("pong", num_envs=2)
    assert env.action_meanings == ("NOOP", "RIGHT", "LEFT")
    assert env.frame_shape == (64, 64)
    assert env.spec["rom"] == "pong"
    assert env.spec["actions"] == ["NOOP", "RIGHT", "LEFT"]
    assert env.spec["frame_skip"] == 4


def test_golden_frames(build, player):
    """These numbers change only with the emulator or with how a frame is made; either must be on purpose."""
    record = player(build("pong", input_dim=84)).reset().play(300)
    assert zlib.crc32(record.steps[-1].observation.tobytes()) == GOLDEN_FRAME
    assert zlib.crc32(repr(record.lines[0]).encode()) == GOLDEN_PLAY


@pytest.mark.parametrize("input_dim", [32, 64, 84, 100])
def test_frames_are_black_and_white_and_show_the_ball(build, player, input_dim):
    """Whenever the ball is on the screen, painting it over changes the frame."""
    env = build("pong", input_dim=input_dim)
    record = player(env).reset().play(150)
    assert set(np.unique(record.steps[-1].observation)) == {0, 255}
    screens = _screens(build, 150)
    frames = env._field(screens)
    np.testing.assert_array_equal(frames[-1], record.steps[-1].observation[0])
    balls = screens == 236
    balls[:, :34] = balls[:, 193:] = False  # the borders, and the score
    seen = balls.sum((1, 2)) == 8
    assert seen.sum() > 30
    without = env._field(np.where(balls, np.uint8(87), screens))
    assert (frames != without).any((1, 2))[seen].all()


def test_the_reference(build):
    """The same frame, made slowly: every pixel by the mean of the area that it covers."""
    env = build("pong", input_dim=32)
    screen = _screens(build, 60)[-1:]
    field = screen[0, ROWS, COLUMNS].astype(float)
    assert field.shape == (160, 127)
    fine = np.repeat(np.repeat(field, 32, axis=0), 32, axis=1)
    mean = fine.reshape(32, 160, 32, 127).mean((1, 3))
    assert (abs(mean - THRESHOLD) > 1).all(), "no pixel may depend on rounding here"
    np.testing.assert_array_equal(env._field(screen)[0], np.where(mean > THRESHOLD, 255, 0))


def test_moving_right_moves_the_paddle_up(build):
    """RIGHT and LEFT are the paddle's up and down: an action that reached the wrong index would do something else."""
    height = {}
    for action in (1, 2):
        env = build("pong", sticky_actions=0.0)
        env.reset()
        for _ in range(30):
            env.send(np.array([action]))
            step = env.recv()
        rows = np.flatnonzero(step.observation[0, 2:-2, -2:].any(axis=1))
        height[action] = rows.mean()
    assert height[1] + 20 < height[2]


def test_too_small_frames_are_refused():
    with pytest.raises(ValidationError):
        PongEnv.Parameters(input_dim=31)


def _screens(build, count: int) -> np.ndarray:
    """Whole screens, uint8 [count, 210, 160], of what a random player of generator 0 sees."""
    env = build("pong")
    env.reset()
    generator = np.random.default_rng(0)
    screens = []
    for _ in range(count):
        action = env._action_index[[generator.integers(3)]]
        tick = env._emulator.advance(action, np.zeros(1, bool), np.zeros(1, np.int64))
        screens.append(tick.observation[0].copy())
    return np.array(screens)
