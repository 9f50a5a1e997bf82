"""model/: learned weights, for playing, filming and comparing; going on with training needs more."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, final

import torch

from merlin.run_folder import explain, write_atomically
from merlin.training.observers import Observer
from merlin.training.plain import to_plain
from merlin.training.record import EpisodeRecord, Progress


@final
class Models(Observer):
    """Saves the agent's weights every so many episodes, and at the end as final.pt.

    A file holds `{"weights": state dict, "episode", "agent_steps"}` and what `about` says; `torch.load` reads
    it with `weights_only=True`. An agent without weights leaves no file.

    Args:
        folder: the run's model/.
        interval: episodes between two saved models; None saves the last one only.
        weights: gives the agent's weights.
        about: plain values that tell how to build the net again: parameters, state_shape, num_actions.
            num_actions.
        say: is told of each saved model.
    """

    name = "models"

    def __init__(
        self,
        folder: Path,
        interval: int | None,
        weights: Callable[[], dict[str, torch.Tensor]],
        about: dict[str, Any],
        say: Callable[[str], None],
    ):
        self._folder = folder
        self._interval = interval
        self._weights = weights
        self._about = about
        self._say = say
        self._episode = 0
        self._agent_steps = 0

    def on_start(self, progress: Progress) -> None:
        self._episode = progress.episode
        self._agent_steps = progress.env_steps

    def on_episode(self, record: EpisodeRecord) -> None:
        self._episode = record.episode
        self._agent_steps = record.env_steps
        if self._interval is not None and record.episode % self._interval == 0:
            self._save(f"episode-{record.episode:06d}.pt")

    def on_end(self) -> None:
        self._save("final.pt")

    def _save(self, file_name: str) -> None:
        weights = self._weights()
        if not weights:
            return
        content = {
            **self._about,
            "episode": self._episode,
            "agent_steps": self._agent_steps,
            "weights": {name: tensor.detach().cpu() for name, tensor in weights.items()},
        }
        buffer = io.BytesIO()
        torch.save(to_plain(content), buffer)
        path = self._folder / file_name
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomically(path, buffer.getvalue())
        except OSError as error:
            raise explain(error, path) from None
        self._say(f"model saved: {self._folder.name}/{file_name}")
