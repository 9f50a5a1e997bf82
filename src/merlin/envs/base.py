"""The seam between games and what plays them: several copies of one environment, stepped together."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from merlin import config
from merlin.envs.ledger import Episode, Ledger
from merlin.envs.rewind import rewind
from merlin.envs.step import Layout, Step, Tick
from merlin.errors import MerlinError

__all__ = ["BaseEnv", "Episode", "Layout", "Step", "Tick"]


class BaseEnv(ABC):
    """Several copies of one environment, stepped together.

    An episode is a function of its seed and its actions alone. A copy whose episode ended is reset in the
    following tick instead of stepped, with the seed of its next episode, so that the last observation of an
    episode is seen.

    Args:
        parameters: the environment's own `Parameters`.
        seed_of: gives the seed of an episode, a number in [0, 2³¹), from the copy's index and the episode's
            index within that copy, both from 0.
        threads: threads that the copies may use together.
        beside: whether the copies step in a thread of their own from `send` to `recv`, while the caller does something
            else. That pays where the caller waits for a GPU meanwhile. On a processor whose cores are all at work it
            costs more than it saves, and with games that hold Python's lock it is not done.
    """

    name: ClassVar[str]
    frees_python: ClassVar[bool]
    """Whether the copies let go of Python's lock while they step, as emulators in C++ do and games in Python do not."""

    class Parameters(config.Parameters):
        num_envs: int = Field(1, ge=1, le=1024, description="Copies of the environment that are stepped together.")
        num_stacked_frames: int = Field(1, ge=1, description="Newest frames that make up one state of the agent.")
        frame_skip: int = Field(1, ge=1, description="Frames per action, in all; their rewards are summed.")
        step_penalty: float = Field(
            0.0,
            description="Subtracted from the reward that is learned from, on steps whose own reward is 0.",
        )
        clip_rewards: bool = Field(False, description="Clip the rewards that are learned from to [-1, 1]; logs do not.")

    def __init__(
        self, parameters: Parameters, seed_of: Callable[[int, int], int], threads: int = 1, beside: bool = False
    ):
        self.parameters = parameters
        self.threads = threads
        self.layout = self._open()
        self._seed_of = seed_of
        self._ledger = Ledger(self.num_envs)
        self._steps = 0
        self._observation: np.ndarray | None = None
        self._pending: Callable[[], Step] | None = None
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="merlin-env")
        self._beside = beside and self.frees_python
        self._closed = False

    @abstractmethod
    def _open(self) -> Layout:
        """Makes the copies and says what they look like. `self.parameters` and `self.threads` are set."""

    @abstractmethod
    def _advance(self, actions: np.ndarray, reset: np.ndarray, seeds: np.ndarray) -> Tick:
        """Resets the copies where `reset` with their seeds, and steps the others.

        Takes actions int64, reset bool and seeds int64, each [num_envs], and changes none of them. The first
        call resets all copies. A copy whose episode ended is always reset in the next call.
        """

    @abstractmethod
    def replay(self, seed: int, actions: np.ndarray) -> Iterator[np.ndarray]:
        """Plays a recorded episode again in a copy of its own, which changes nothing else.

        Yields its pictures, natively sized and coloured, uint8 [H, W, 3], `layout.frames_per_second` of them
        a second; the first is that of the reset. Callable from any thread.
        """

    @abstractmethod
    def _close(self) -> None:
        """Lets go of the copies."""

    @property
    def num_envs(self) -> int:
        return self.parameters.num_envs

    @property
    def num_actions(self) -> int:
        return self.layout.num_actions

    @property
    def frame_shape(self) -> tuple[int, ...]:
        return self.layout.frame_shape

    @property
    def frame_dtype(self) -> type[np.uint8] | type[np.float32]:
        return self.layout.frame_dtype

    @property
    def action_meanings(self) -> tuple[str, ...]:
        return self.layout.action_meanings

    @property
    def frames_per_second(self) -> float:
        return self.layout.frames_per_second

    @property
    def spec(self) -> dict[str, Any]:
        return self.layout.spec

    def reset(self) -> np.ndarray:
        """Begins the next episode of every copy (the first, in a new environment); returns what it sees."""
        self._refuse_pending("reset")
        everyone = np.ones(self.num_envs, bool)
        return self._tick(np.zeros(self.num_envs, np.int64), everyone).observation

    def send(self, actions: np.ndarray) -> None:
        """Starts one tick with these actions (integers [num_envs]); `recv` gives its outcome."""
        self._refuse_pending("send")
        if self._observation is None:
            raise RuntimeError("send before reset")
        # A copy of its own: the caller may write into its array while the thread steps.
        actions = np.array(actions, dtype=np.int64)
        if actions.shape != (self.num_envs,) or actions.min() < 0 or actions.max() >= self.num_actions:
            raise ValueError(f"expected {self.num_envs} actions in 0 … {self.num_actions - 1}, got {actions}")
        reset = self._ledger.ended.copy()
        if self._beside:
            self._pending = self._executor.submit(self._tick, actions, reset).result
        else:
            self._pending = partial(self._tick, actions, reset)

    def recv(self) -> Step:
        """Waits for the tick that `send` started.

        Raises:
            MerlinError: the environment failed, or gave a reward or an observation that is not finite.
        """
        if self._pending is None:
            raise RuntimeError("recv without send")
        pending, self._pending = self._pending, None
        return pending()

    def state_dict(self) -> dict[str, Any]:
        """Returns seeds and actions of the running episodes, all that `load_state_dict` needs."""
        self._refuse_pending("state_dict")
        if self._observation is None:
            raise RuntimeError("state_dict before reset")
        ledger = self._ledger
        return {
            "steps": self._steps,
            "episode_index": ledger.episode_index.copy(),
            "seed": ledger.seed.copy(),
            "actions": [ledger.actions(index) for index in range(self.num_envs)],
            "ended": ledger.ended.copy(),
            "reward": ledger.reward.copy(),
            "observation": self._observation.copy(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> np.ndarray:
        """Plays the running episodes again up to where they were and returns the observations there.

        Takes as many ticks as the longest running episode has steps; see `merlin.envs.rewind`.

        Raises:
            MerlinError: the environment does not repeat itself.
        """
        self._refuse_pending("load_state_dict")
        self._ledger, self._observation = rewind(self._advance_checked, state, self.spec["environment"])
        self._steps = int(state["steps"])
        return self._observation

    def close(self) -> None:
        """Waits for a tick under way, ends the thread, lets go of the copies. More than once does no harm."""
        if self._closed:
            return
        self._closed = True
        self._pending = None
        self._executor.shutdown(wait=True)
        self._close()

    def _refuse_pending(self, method: str) -> None:
        if self._closed:
            raise RuntimeError(f"{method} after close")
        if self._pending is not None:
            raise RuntimeError(f"{method} between send and recv")

    def _tick(self, actions: np.ndarray, reset: np.ndarray) -> Step:
        ledger = self._ledger
        for index in np.flatnonzero(reset):
            ledger.episode_index[index] += 1
            ledger.seed[index] = self._seed_of(int(index), int(ledger.episode_index[index]))
        ledger.begin(reset)
        self._steps += 1
        tick = self._advance_checked(actions, reset, ledger.seed)
        self._observation = tick.observation
        return Step(
            observation=tick.observation,
            reward=tick.reward,
            terminated=tick.terminated,
            truncated=tick.truncated,
            first=reset,
            life_lost=tick.life_lost,
            frames=tick.frames,
            episodes=ledger.record(~reset, actions, tick.reward, tick.frames, tick.terminated, tick.truncated),
        )

    def _advance_checked(self, actions: np.ndarray, reset: np.ndarray, seeds: np.ndarray) -> Tick:
        """Advances, blanks what a reset copy reports, and turns whatever goes wrong into a MerlinError."""
        try:
            tick = self._advance(actions, reset, seeds)
        except MerlinError:
            raise
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise MerlinError(f"environment {self.spec['environment']} failed in step {self._steps}: {what}") from error
        stepped = ~reset
        self._refuse_nonfinite("reward", tick.reward[:, None], stepped)
        if tick.observation.dtype != np.uint8:
            self._refuse_nonfinite("observation", tick.observation.reshape(self.num_envs, -1), None)
        return Tick(
            observation=tick.observation,
            reward=np.where(stepped, tick.reward, 0.0),
            terminated=tick.terminated & stepped,
            # An episode that ended and ran out of time in the same step has ended.
            truncated=tick.truncated & stepped & ~tick.terminated,
            frames=np.where(stepped, tick.frames, 0),
            life_lost=tick.life_lost & stepped,
        )

    def _refuse_nonfinite(self, what: str, values: np.ndarray, copies: np.ndarray | None) -> None:
        finite = np.isfinite(values).all(axis=1)
        if copies is not None:
            finite |= ~copies
        if not finite.all():
            index = int(np.flatnonzero(~finite)[0])
            raise MerlinError(
                f"environment {self.spec['environment']}, copy {index}, step {self._steps} "
                f"(step {self._ledger.steps[index] + 1} of its episode {self._ledger.episode_index[index]}): "
                f"the {what} is not a finite number: {values[index].tolist()}"
            )
