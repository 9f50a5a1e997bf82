"""status.json: how a run stands, for whoever shows it."""

import os
import socket
import time
from collections import deque
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, final

from merlin.run_folder import RunFolder
from merlin.training.observers import Observer
from merlin.training.record import EpisodeRecord, Progress

_MEAN_EPISODES = 100
_RATE_SECONDS = 30.0


@final
class Status(Observer):
    """Rewrites status.json, at most once a second.

    It says "running" to the end: whether a run finished, failed or was interrupted, the worker knows (see
    `conclude`).

    Args:
        folder: the run's folder.
        environment: the one effective specification of the game.
        clock: seconds since any fixed moment.
        interval: seconds between two writes, at least.
    """

    name = "status"

    def __init__(
        self,
        folder: RunFolder,
        environment: Mapping[str, Any],
        clock: Callable[[], float] = time.monotonic,
        interval: float = 1.0,
    ):
        self._folder = folder
        self._environment = dict(environment)
        self._clock = clock
        self._interval = interval
        self._rewards: deque[float] = deque(maxlen=_MEAN_EPISODES)
        self._rates: deque[tuple[float, int]] = deque()
        self._seconds_before = 0.0
        self._begun = clock()
        self._written = 0.0
        self._status: dict[str, Any] = {}

    def on_start(self, progress: Progress) -> None:
        self._begun = self._clock()
        self._rates.append((self._begun, progress.env_steps))
        self._status = running() | {
            "episode": progress.episode,
            "episodes": progress.episodes,
            "agent_steps": progress.env_steps,
            "frames": progress.frames,
            "updates": progress.updates,
            "epsilon": None,
            "environment": self._environment,
        }
        self._write()

    @property
    def due(self) -> bool:
        """Whether the last write is long enough ago."""
        return self._clock() - self._written >= self._interval

    def on_progress(self, progress: Progress) -> None:
        """Writes how far the run is in the middle of an episode."""
        self._status.update(agent_steps=progress.env_steps, frames=progress.frames, updates=progress.updates)
        self._write()

    def on_episode(self, record: EpisodeRecord) -> None:
        self._rewards.append(float(record.reward))
        self._status.update(
            episode=record.episode,
            agent_steps=record.env_steps,
            frames=record.frames,
            updates=record.updates,
            epsilon=float(record.epsilon),
        )
        if self.due:
            self._write()

    def close(self) -> None:
        # Not begun: nothing to say. Written by `conclude` since: nothing to add.
        if self._status:
            self._write()
            self._status = {}

    def state_dict(self) -> dict[str, Any]:
        return {"rewards": list(self._rewards), "seconds": self._seconds()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._rewards.extend(state["rewards"])
        self._seconds_before = float(state["seconds"])

    def _seconds(self) -> float:
        return self._seconds_before + self._clock() - self._begun

    def _write(self) -> None:
        now, steps = self._clock(), self._status["agent_steps"]
        self._rates.append((now, steps))
        while now - self._rates[1][0] > _RATE_SECONDS:
            self._rates.popleft()
        then, steps_then = self._rates[0]
        self._status.update(
            updated=_now(),
            mean_reward=sum(self._rewards) / len(self._rewards) if self._rewards else None,
            steps_per_second=round((steps - steps_then) / (now - then), 2) if now > then else None,
            seconds=round(self._seconds(), 3),
        )
        self._folder.write_status(self._status)
        self._written = now


def running() -> dict[str, Any]:
    """Returns the part of a status that says who runs it, since when."""
    return {
        "state": "running",
        "message": "",
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "started": _now(),
        "updated": _now(),
    }


def conclude(folder: RunFolder, state: str, message: str = "") -> None:
    """Writes how a run came to its end ("finished", "interrupted" or "failed") and, in one line, why."""
    folder.write_status(folder.read_status() | {"state": state, "message": message, "updated": _now()}, durable=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
