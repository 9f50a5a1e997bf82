"""Copies of one Atari game in ale_py's C++ vector environment, seeded episode by episode."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
from pydantic import Field

from merlin.envs.base import BaseEnv
from merlin.envs.names import atari_id
from merlin.envs.step import Tick
from merlin.errors import MerlinError

SCREEN = (210, 160)
"""Rows and columns of an Atari screen (three games have more rows)."""
FRAMES_PER_SECOND = 60.0


class EmulatorParameters(BaseEnv.Parameters):
    """What all Atari environments have; the defaults follow Machado et al. 2018 (arXiv 1709.06009)."""

    num_stacked_frames: int = Field(4, ge=1, description="Newest frames that make up one state of the agent.")
    frame_skip: int = Field(4, ge=1, description="Emulator frames per action, in all; their rewards are summed.")
    clip_rewards: bool = Field(True, description="Clip the rewards that are learned from to [-1, 1]; logs do not.")
    sticky_actions: float = Field(
        0.25,
        ge=0,
        lt=1,
        description="Probability, per emulator frame, that the previous action is repeated instead.",
    )
    noop_max: int = Field(0, ge=0, description="An episode starts with 1 to this many idle emulator frames; 0: none.")
    max_frames_per_episode: int = Field(
        108_000,
        ge=1,
        description="Emulator frames after which an episode is cut off (108000 are 30 minutes of play).",
    )


class Emulator:
    """`num_envs` copies of one game, stepped together. Frames are those of the vector environment, without
    stacking.

    Args:
        game: name of the ROM.
        parameters: frame skip, sticky actions and so on.
        threads: threads that step the copies.
        height, width: rows and columns of a frame; the whole screen, resized by area averaging where they
            differ.
        maxpool: a frame is the maximum of the last two emulator frames.
        full_action_space: all 18 actions instead of those that do something in this game.
        fire_on_reset: an episode starts with a press of the button, in games that wait for one.
    """

    def __init__(
        self,
        game: str,
        parameters: EmulatorParameters,
        threads: int,
        *,
        height: int,
        width: int,
        maxpool: bool,
        full_action_space: bool = False,
        fire_on_reset: bool = False,
    ):
        self.game = game
        self._parameters = parameters
        self._shared: dict[str, Any] = {
            "max_num_frames_per_episode": parameters.max_frames_per_episode,
            "repeat_action_probability": parameters.sticky_actions,
            "noop_max": parameters.noop_max,
            "full_action_space": full_action_space,
            "use_fire_reset": fire_on_reset,
            "reward_clipping": False,
            "episodic_life": False,
            "stack_num": 1,
        }
        self._ale = import_ale()
        self._vector = self._ale.AtariVectorEnv(
            game,
            parameters.num_envs,
            num_threads=max(1, min(threads, parameters.num_envs)),
            frameskip=parameters.frame_skip,
            img_height=height,
            img_width=width,
            maxpool=maxpool,
            **self._shared,
        )
        self.actions = tuple(action.name for action in self._vector.ale.get_action_set())
        self._lives = np.zeros(parameters.num_envs, np.int64)
        self._frames = np.zeros(parameters.num_envs, np.int64)

    def advance(self, actions: np.ndarray, reset: np.ndarray, seeds: np.ndarray) -> Tick:
        """Resets the copies where `reset` with their seeds and steps the others; see `BaseEnv._advance`.

        Returns:
            the tick, with observation uint8 [num_envs, height, width] and `life_lost` where one was lost.
        """
        n = len(actions)
        if reset.all():
            observation, info = self._vector.reset(seed=seeds)
            reward = np.zeros(n, np.int64)
            terminated = truncated = np.zeros(n, bool)
        else:
            # All are stepped; one that ended resets itself, unseeded, and is then reset again with its seed.
            observation, reward, terminated, truncated, info = self._vector.step(actions)
            if reset.any():
                fresh, fresh_info = self._vector.reset(seed=seeds[reset], options={"reset_mask": reset})
                observation[reset] = fresh[reset]
                info = {key: np.where(reset, fresh_info[key], info[key]) for key in ("lives", "episode_frame_number")}
        lives = info["lives"].astype(np.int64)
        frames = info["episode_frame_number"].astype(np.int64)
        tick = Tick(
            observation=observation[:, 0],
            reward=reward.astype(np.float64),
            terminated=terminated,
            truncated=truncated,
            frames=frames - self._frames,
            life_lost=lives < self._lives,
        )
        self._lives, self._frames = lives, frames
        return tick

    def replay(self, seed: int, actions: np.ndarray) -> Iterator[np.ndarray]:
        """Yields every emulator frame of an episode, uint8 rgb [rows, 160, 3], that of the reset first."""
        rows, columns = self._screen_size()
        single = self._ale.AtariVectorEnv(
            self.game,
            1,
            num_threads=1,
            frameskip=1,
            maxpool=False,
            img_height=rows,
            img_width=columns,
            grayscale=False,
            **self._shared,
        )
        try:
            observation, _ = single.reset(seed=np.array([seed]))
            yield observation[0, 0]
            # Sticky actions are drawn per emulator frame, so a repeated action is the same as a frame skip.
            for action in np.repeat(actions, self._parameters.frame_skip):
                observation, _, terminated, truncated, _ = single.step(np.array([action]))
                yield observation[0, 0]
                if terminated[0] or truncated[0]:
                    return
        finally:
            single.close()

    def describe(self) -> dict[str, Any]:
        """Returns the part of the specification that all Atari environments share."""
        p = self._parameters
        return {
            "environment": atari_id(self.game),
            "rom": self.game,
            "ale_py": self._ale.__version__,
            "frame_skip": p.frame_skip,
            "sticky_actions": p.sticky_actions,
            "noop_max": p.noop_max,
            "max_frames_per_episode": p.max_frames_per_episode,
            "num_stacked_frames": p.num_stacked_frames,
        }

    def close(self) -> None:
        self._vector.close()

    def _screen_size(self) -> tuple[int, int]:
        ale = self._ale.ALEInterface()
        ale.loadROM(self._ale.roms.get_rom_path(self.game))
        return ale.getScreenDims()


def import_ale() -> ModuleType:
    """Returns ale_py, told not to print its banner.

    Raises:
        MerlinError: it is not installed.
    """
    try:
        import ale_py
        import ale_py.roms
    except ImportError as error:
        raise MerlinError(
            f"Atari games need ale-py and OpenCV, which are not installed ({error}). "
            "Install them with: pip install 'merlin-rl[atari]'"
        ) from error
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    return ale_py
