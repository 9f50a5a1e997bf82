"""img/: what the net sees, as pictures."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import final

import numpy as np

from merlin.run_folder import explain, write_atomically
from merlin.training.observers import Observer
from merlin.training.record import EpisodeRecord

_LEAST_HEIGHT = 256
_GAP_GREY = 128


@final
class StateImages(Observer):
    """Saves the last state of episodes 1, 2, 5, 10, 20, 50, … as PNG: its stack side by side, oldest left.

    Args:
        folder: the run's img/.
        say: is told, once, if the states are no images.
    """

    name = "state_images"

    def __init__(self, folder: Path, say: Callable[[str], None]):
        self._folder = folder
        self._say = say
        self._said = False

    def on_episode(self, record: EpisodeRecord) -> None:
        state = record.last_state
        if state is None or not _is_due(record.episode):
            return
        if state.ndim != 3 or state.dtype != np.uint8:
            if not self._said:
                self._say("save_state_img: the states of this environment are no images; none are saved")
                self._said = True
            return
        path = self._folder / f"episode-{record.episode:06d}.png"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomically(path, encode_png(side_by_side(state)), durable=False)
        except OSError as error:
            raise explain(error, path) from None


def side_by_side(state: np.ndarray) -> np.ndarray:
    """Returns the frames of a state, uint8 [stack, H, W], side by side and enlarged, as uint8 [h, w]."""
    height = state.shape[1]
    times = max(1, -(-_LEAST_HEIGHT // height))
    frames = state.repeat(times, axis=1).repeat(times, axis=2)
    gap = np.full((height * times, times), _GAP_GREY, np.uint8)
    parts = [frames[0]]
    for frame in frames[1:]:
        parts += [gap, frame]
    return np.concatenate(parts, axis=1)


def encode_png(picture: np.ndarray) -> bytes:
    """Returns a grey picture, uint8 [H, W], as the content of a PNG file."""
    from PIL import Image  # comes with matplotlib

    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "PNG")
    return buffer.getvalue()


def _is_due(episode: int) -> bool:
    digits = str(episode).rstrip("0")
    return digits in ("1", "2", "5")
