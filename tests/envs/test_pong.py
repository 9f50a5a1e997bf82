"""Pong's frames: the field alone, black and white, with the ball in every one."""

import zlib

import numpy as np
import pytest
from pydantic import ValidationError

from merlin.envs import PongEnv
from merlin.envs.pong import COLUMNS, ROWS, THRESHOLD, field

GOLDEN_FRAME = 3808766562
GOLDEN_PLAY = 1184981530


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


@pytest.mark.parametrize(("size", "stride"), [(41, 1), (64, 3), (84, 5)])
def test_the_ball_is_seen_wherever_it_is(size, stride):
    """Every place between the paddles and the walls, drawn on an empty field."""
    empty = np.full((210, 160), 87, np.uint8)
    empty[24:34] = empty[194:] = 236
    places = [(row, column) for row in range(34, 190) for column in range(20, 139)][::stride]
    screens = np.repeat(empty[None], len(places), axis=0)
    for screen, (row, column) in zip(screens, places, strict=True):
        screen[row : row + 4, column : column + 2] = 236
    assert (field(screens, size) != field(empty[None], size)).any((1, 2)).all()


def test_frames_are_those_of_the_field_in_black_and_white(build, player):
    record = player(build("pong")).reset().play(150)
    screens = _screens(build, 150)
    balls = screens[:, 34:193, 20:140] == 236
    assert (balls.sum((1, 2)) == 8).sum() > 50, (
        "the emulator's ball has the size and the colour that we take it to have"
    )
    frames = field(screens, 64)
    assert set(np.unique(frames)) == {0, 255}
    np.testing.assert_array_equal(frames, [step.observation[0] for step in record.steps])


def test_the_reference(build):
    """The same frame, made slowly: every pixel by the mean of the area that it covers."""
    screen = _screens(build, 60)[-1:]
    kept = screen[0, ROWS, COLUMNS].astype(float)
    assert kept.shape == (160, 127)
    fine = np.repeat(np.repeat(kept, 32, axis=0), 32, axis=1)
    mean = fine.reshape(32, 160, 32, 127).mean((1, 3))
    assert (abs(mean - THRESHOLD) > 1).all(), "no pixel may depend on rounding here"
    np.testing.assert_array_equal(field(screen, 32)[0], np.where(mean > THRESHOLD, 255, 0))


def test_right_moves_the_paddle_up_and_left_down(build):
    """An action that reached the wrong index of the emulator would do nothing or serve."""
    height = {}
    for action in (0, 1, 2):
        env = build("pong", sticky_actions=0.0)
        env.reset()
        for moment in range(13):
            env.send(np.array([action if moment >= 10 else 0]))
            step = env.recv()
        height[action] = np.flatnonzero(step.observation[0, 1:, -1]).mean()
    assert height[1] < height[0] - 10
    assert height[2] > height[0] + 10


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
