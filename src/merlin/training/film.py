"""Pictures in, an MP4 file out that browsers play. One picture in memory at a time."""

import os
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from merlin.errors import MerlinError

_LEAST_PIXELS = 400
"""The longer side of a film has at least so many: games of 1977 have 210, stamp-sized in a browser."""

_CODECS = ("libx264", "libopenh264", "h264")
_BT_601 = 6


class NoEncoder(MerlinError):
    """This machine cannot encode films."""


def find_encoder() -> str:
    """Returns the name of an H.264 encoder.

    Raises:
        NoEncoder: there is none.
    """
    try:
        import av
    except ImportError as error:
        raise NoEncoder(f"PyAV cannot be imported ({error}); to have films: pip install 'merlin-rl[video]'") from None
    for name in _CODECS:
        try:
            av.Codec(name, "w")
        except (av.FFmpegError, ValueError):
            continue
        return name
    raise NoEncoder("PyAV has no H.264 encoder here; to have films: pip install --force-reinstall av")


def write_film(
    path: Path,
    pictures: Iterable[np.ndarray],
    frames_per_second: float,
    threads: int = 1,
    give_up: Callable[[], bool] = lambda: False,
) -> bool:
    """Writes a film that appears whole or not at all: H.264, yuv420p, its index in front for streaming.

    Args:
        path: the file; its folder is made.
        pictures: uint8 [H, W, 3] RGB each, all of one size. Small ones are enlarged by a whole factor; a side
            that is odd is made even by repeating its last line.
        frames_per_second: how fast they follow each other.
        threads: threads of the encoder.
        give_up: asked before each picture; the film is dropped when it says True.

    Returns:
        Whether there is a film: False if it was given up.

    Raises:
        NoEncoder: there is no encoder.
        MerlinError: there are no pictures.
        OSError: it could not be written.
    """
    encoder = find_encoder()
    import av

    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    stream = None
    try:
        with av.open(str(aside), "w", format="mp4", options={"movflags": "+faststart"}) as container:
            for picture in pictures:
                if give_up():
                    return False
                picture = fit_for_film(picture)
                if stream is None:
                    stream = _add_stream(container, encoder, picture.shape, frames_per_second, threads)
                frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
                container.mux(stream.encode(frame.reformat(format="yuv420p", dst_colorspace="ITU601")))
            if stream is None:
                raise MerlinError("the environment gave no pictures of the episode")
            container.mux(stream.encode(None))
        os.replace(aside, path)
        return True
    finally:
        aside.unlink(missing_ok=True)


def _add_stream(container: Any, encoder: str, shape: tuple[int, ...], frames_per_second: float, threads: int) -> Any:
    stream = container.add_stream(encoder, rate=Fraction(frames_per_second).limit_denominator(1001))
    stream.height, stream.width = shape[:2]
    stream.pix_fmt = "yuv420p"
    stream.options = {"preset": "veryfast", "crf": "20"}
    stream.codec_context.thread_count = threads
    stream.codec_context.colorspace = _BT_601
    return stream


def fit_for_film(picture: np.ndarray) -> np.ndarray:
    """Returns a picture (uint8 [H, W, 3]) enlarged by a whole factor if it is small, both sides even."""
    height, width = picture.shape[:2]
    times = max(1, -(-_LEAST_PIXELS // max(height, width)))
    if times > 1:
        picture = picture.repeat(times, axis=0).repeat(times, axis=1)
    odd_rows, odd_columns = picture.shape[0] % 2, picture.shape[1] % 2
    if odd_rows or odd_columns:
        picture = np.pad(picture, ((0, odd_rows), (0, odd_columns), (0, 0)), mode="edge")
    return np.ascontiguousarray(picture)
