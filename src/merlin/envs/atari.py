"""Every Atari game, with the whole screen as the frame."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from pydantic import Field

from merlin.envs.base import BaseEnv
from merlin.envs.emulator import FRAMES_PER_SECOND, Emulator, EmulatorParameters
from merlin.envs.names import atari_game
from merlin.envs.step import Layout, Tick
from merlin.errors import InputError


class AtariEnv(BaseEnv):
    """An Atari game under any spelling of its name: the whole screen, grey, resized by area averaging.

    The defaults follow Machado et al. 2018, but for the action set, where the code that results are compared
    with uses the minimal one.
    """

    name = "atari"
    frees_python = True

    class Parameters(EmulatorParameters):
        env_name: str = Field("ALE/Pong-v5", description="The game, in any spelling.")
        input_dim: int = Field(84, ge=8, le=512, description="Rows and columns of a frame, in pixels.")
        full_action_space: bool = Field(
            False,
            description="All 18 actions (recommended by Machado et al. 2018) instead of those with an effect "
            "in the game (as in the code that results are compared with).",
        )
        fire_on_reset: bool = Field(
            False, description="Start episodes with a press of the button, where games wait for it."
        )
        life_loss_terminal: bool = Field(
            False,
            description="Learn as if the game ended with each life; it goes on, and logs count whole games.",
        )
        maxpool: bool = Field(
            True,
            description="A frame is the maximum of the last two emulator frames, against flickering sprites.",
        )

    parameters: Parameters

    def _open(self) -> Layout:
        p = self.parameters
        game = atari_game(p.env_name)
        if game is None:
            raise InputError(f"'{p.env_name}' is not an Atari game")
        self._emulator = Emulator(
            game,
            p,
            self.threads,
            height=p.input_dim,
            width=p.input_dim,
            maxpool=p.maxpool,
            full_action_space=p.full_action_space,
            fire_on_reset=p.fire_on_reset,
        )
        spec = self._emulator.describe() | {
            "action_set": "full" if p.full_action_space else "minimal",
            "actions": list(self._emulator.actions),
            "fire_on_reset": p.fire_on_reset,
            "life_loss_terminal": p.life_loss_terminal,
            "maxpool": p.maxpool,
            "frame": f"grey, whole screen resized to {p.input_dim}x{p.input_dim}",
        }
        shape = (p.input_dim, p.input_dim)
        return Layout(len(self._emulator.actions), shape, np.uint8, self._emulator.actions, FRAMES_PER_SECOND, spec)

    def _advance(self, actions: np.ndarray, reset: np.ndarray, seeds: np.ndarray) -> Tick:
        tick = self._emulator.advance(actions, reset, seeds)
        if self.parameters.life_loss_terminal:
            return tick
        return replace(tick, life_lost=np.zeros(self.num_envs, bool))

    def replay(self, seed: int, actions: np.ndarray) -> Iterator[np.ndarray]:
        return self._emulator.replay(seed, actions)

    def _close(self) -> None:
        self._emulator.close()
