"""Random play, and the slow, plain list of transitions that it ought to give."""

from dataclasses import dataclass

import numpy as np

from merlin.experience.frame_store import CUT, GOES_ON, TERMINAL, FrameStore, Layout


@dataclass
class Row:
    """One tick of one stream."""

    frame: np.ndarray
    first: bool
    action: int = 0
    reward: float = 0.0
    end: int = GOES_ON
    acted: bool = False


class NaivePlay:
    """Plays `ticks` ticks of several streams into a store, and keeps all of it in lists."""

    def __init__(self, layout: Layout, ticks: int, end_chance: float, seed: int) -> None:
        self.store = FrameStore(layout)
        self.layout = layout
        self.rng = np.random.default_rng(seed)
        self.end_chance = end_chance
        first = [self._frame() for _ in range(layout.num_envs)]
        self.streams = [[Row(frame, True)] for frame in first]
        self.ended = np.zeros(layout.num_envs, bool)
        self.store.begin(np.stack(first))
        for _ in range(ticks):
            self.tick()

    def _frame(self) -> np.ndarray:
        return self.rng.integers(1, 256, self.layout.frame_shape).astype(self.layout.frame_dtype)

    def tick(self) -> None:
        n = self.layout.num_envs
        action = self.rng.integers(5, size=n)
        reward = self.rng.normal(size=n).astype(np.float32)
        # A life that is lost ends the game for learning, though it goes on: the next row is no first one.
        end = np.where(self.rng.random(n) < self.end_chance, self.rng.choice([CUT, TERMINAL, 3], size=n), GOES_ON)
        acted, first = ~self.ended, self.ended.copy()
        end = np.where(acted, end, GOES_ON)
        frames = [self._frame() for _ in range(n)]
        stored_end = np.where(end == 3, TERMINAL, end)
        self.store.record(action, np.where(acted, reward, 0), stored_end, acted, np.stack(frames), first)
        for env, stream in enumerate(self.streams):
            row = stream[-1]
            row.action, row.reward, row.end, row.acted = (
                int(action[env]),
                float(reward[env]),
                int(stored_end[env]),
                bool(acted[env]),
            )
            stream.append(Row(frames[env], bool(first[env])))
        self.ended = (end == CUT) | (end == TERMINAL)

    def state(self, env: int, tick: int) -> np.ndarray:
        """The stack at a tick, zeros before the start of its episode."""
        frames: list[np.ndarray] = []
        begun = False
        for back in range(self.layout.stack):
            if begun or tick - back < 0:
                frames.insert(0, np.zeros(self.layout.frame_shape, self.layout.frame_dtype))
                continue
            row = self.streams[env][tick - back]
            frames.insert(0, row.frame)
            begun = row.first
        return np.stack(frames).reshape(self.layout.state_shape)

    def transition(self, env: int, tick: int, n_step: int, gamma: float):
        """Observation, action, n-step reward, next observation, discount; step by step, as a textbook would."""
        stream, total, discount, at = self.streams[env], 0.0, 1.0, tick
        for _ in range(n_step):
            row = stream[at]
            total += discount * row.reward
            discount *= gamma
            at += 1
            if row.end == TERMINAL:
                discount = 0.0
            if row.end != GOES_ON:
                break
        return self.state(env, tick), stream[tick].action, total, self.state(env, at), discount

    def drawable(self, n_step: int) -> set[tuple[int, int]]:
        """All (tick, stream) where a transition begins that lies in the window and whose n steps are over."""
        head = len(self.streams[0]) - 1
        return {
            (tick, env)
            for env, stream in enumerate(self.streams)
            for tick in range(max(0, head - self.layout.window + 1), head - n_step + 1)
            if stream[tick].acted
        }
