"""video/: films of episodes, made after they were played: an episode is its seed and its actions."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, final

import numpy as np

from merlin.training.film import NoEncoder, write_film
from merlin.training.observers import Observer
from merlin.training.record import EpisodeRecord, Progress


@final
class Video(Observer):
    """Films every so many episodes, and the last one, while training waits.

    Whatever goes wrong costs a line in the console, never the run. A film that a stop cuts short is made when
    the run goes on.

    Args:
        folder: the run's video/.
        interval: episodes between two films; None films nothing.
        replay: plays an episode again from its seed and actions and gives its pictures (see
            `BaseEnv.replay`).
        frames_per_second: of those pictures.
        say: is told of each film, and of what goes wrong.
        stop_requested: whether the run is to end soon.
        threads: threads of the encoder.
    """

    name = "video"

    def __init__(
        self,
        folder: Path,
        interval: int | None,
        replay: Callable[[int, np.ndarray], Iterator[np.ndarray]],
        frames_per_second: float,
        say: Callable[[str], None],
        stop_requested: Callable[[], bool] = lambda: False,
        threads: int = 1,
    ):
        self._folder = folder
        self._interval = interval
        self._replay = replay
        self._frames_per_second = frames_per_second
        self._say = say
        self._stop_requested = stop_requested
        self._threads = threads
        self._episodes = 0
        self._waiting: list[dict[str, Any]] = []
        self._complaint = ""

    def on_start(self, progress: Progress) -> None:
        self._episodes = progress.episodes
        self._film_waiting()

    def on_episode(self, record: EpisodeRecord) -> None:
        if self._interval is None:
            return
        if record.episode % self._interval == 0 or record.episode == self._episodes:
            self._waiting.append({"episode": record.episode, "seed": record.seed, "actions": record.actions})
            self._film_waiting()

    def on_end(self) -> None:
        # No checkpoint will keep them any more, so a stop that comes now has to wait for them.
        self._stop_requested = lambda: False
        self._film_waiting()

    def state_dict(self) -> dict[str, Any]:
        return {"waiting": list(self._waiting)} if self._waiting else {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._waiting = list(state["waiting"])

    def _film_waiting(self) -> None:
        while self._waiting and not self._stop_requested():
            if self._film(**self._waiting[0]):
                del self._waiting[0]

    def _film(self, episode: int, seed: int, actions: np.ndarray) -> bool:
        """Returns whether this film is done with, for better or worse."""
        path = self._folder / f"episode-{episode:06d}.mp4"
        try:
            pictures = self._replay(int(seed), actions)
            if not write_film(path, pictures, self._frames_per_second, self._threads, self._stop_requested):
                return False
        except NoEncoder as error:
            self._interval = None
            self._complain(f"no films will be recorded: {error}")
        except Exception as error:  # whatever it is, it is only about a film
            self._complain(f"no film of episode {episode}: {str(error) or type(error).__name__}")
        else:
            self._say(f"video recorded: {self._folder.name}/{path.name}")
        return True

    def _complain(self, text: str) -> None:
        # The same fault at each film is told once.
        kind = text.split(":", 1)[1]
        if kind != self._complaint:
            self._say(f"warning: {text}")
            self._complaint = kind
