"""Pong as the original MERLIn plays it: the field alone, black and white, three actions."""

from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

import numpy as np
from pydantic import Field

from merlin.envs.base import BaseEnv
from merlin.envs.emulator import FRAMES_PER_SECOND, SCREEN, Emulator, EmulatorParameters
from merlin.envs.step import Layout, Tick
from merlin.errors import MerlinError

ROWS = slice(33, 193)
"""Rows of the screen that are kept: 33 up to, not including, 193."""
COLUMNS = slice(16, 143)
"""Columns of the screen that are kept: 16 up to, not including, 143, which are the paddles and what lies
between.
"""
THRESHOLD = 100
"""Brighter becomes white. The emulator's own grey is 87 for the background, 147 and 148 for paddles, 236 for
the ball.
"""
ACTIONS = ("NOOP", "RIGHT", "LEFT")


class PongEnv(BaseEnv):
    """Pong with the frame cropped to the field, resized by area averaging, and made black and white."""

    name = "pong"
    frees_python = True

    class Parameters(EmulatorParameters):
        input_dim: int = Field(
            64,
            ge=32,
            le=512,
            description="Rows and columns of a frame, in pixels; below 41 the ball is not always seen.",
        )

    parameters: Parameters

    def _open(self) -> Layout:
        _import_cv2()
        # Two emulator frames in one would show the ball twice; Pong does not flicker.
        self._emulator = Emulator(
            "pong", self.parameters, self.threads, height=SCREEN[0], width=SCREEN[1], maxpool=False
        )
        self._action_index = np.array([self._emulator.actions.index(action) for action in ACTIONS])
        size = self.parameters.input_dim
        spec = self._emulator.describe() | {
            "action_set": "NOOP, RIGHT, LEFT",
            "actions": list(ACTIONS),
            "maxpool": False,
            "frame": f"rows 33 to 192, columns 16 to 142, averaged to {size}x{size}, white above {THRESHOLD}",
        }
        return Layout(len(ACTIONS), (size, size), np.uint8, ACTIONS, FRAMES_PER_SECOND, spec)

    def _advance(self, actions: np.ndarray, reset: np.ndarray, seeds: np.ndarray) -> Tick:
        tick = self._emulator.advance(self._action_index[actions], reset, seeds)
        return replace(tick, observation=field(tick.observation, self.parameters.input_dim))

    def replay(self, seed: int, actions: np.ndarray) -> Iterator[np.ndarray]:
        return self._emulator.replay(seed, self._action_index[np.asarray(actions, np.int64)])

    def _close(self) -> None:
        self._emulator.close()


def field(screens: np.ndarray, size: int) -> np.ndarray:
    """Returns what the agent sees of grey screens: uint8 [n, 210, 160] → [n, size, size] of 0 and 255.

    Averaging comes before the threshold: a pixel becomes white where the ball, 2 by 4 pixels of the screen,
    covers 9 % of it. From a size of 41 on it is so seen in every position between the paddles (below, not
    always where it touches the upper wall); with the threshold first it would vanish from many.
    """
    cv2 = _import_cv2()
    averaged = np.empty((len(screens), size, size), np.uint8)
    for screen, small in zip(screens, averaged, strict=True):
        cv2.resize(screen[ROWS, COLUMNS], (size, size), dst=small, interpolation=cv2.INTER_AREA)
    return np.multiply(averaged > THRESHOLD, 255, dtype=np.uint8)


def _import_cv2() -> ModuleType:
    try:
        import cv2
    except ImportError as error:
        raise MerlinError("pong needs OpenCV. Install it with: pip install 'merlin-rl[atari]'") from error
    return cv2
