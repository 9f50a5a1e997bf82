"""video/: films, when they are made, and that nothing about them ends a run."""

import os
import sys
import tracemalloc

import numpy as np
import pytest

from merlin.errors import MerlinError
from merlin.training import film
from merlin.training.film import fit_for_film, write_film
from merlin.training.record import Progress
from merlin.training.video import Video
from tests.training.records import record

av = pytest.importorskip("av")
COLOUR = (144, 72, 17)


def pictures(count=30, height=210, width=160):
    for index in range(count):
        picture = np.full((height, width, 3), COLOUR, np.uint8)
        picture[index : index + 4] = 255
        yield picture


@pytest.mark.parametrize(
    ("height", "width", "size"),
    [(210, 160, (420, 320)), (401, 601, (402, 602)), (64, 64, (448, 448)), (45, 27, (406, 244))],
)
def test_a_film_that_browsers_play(tmp_path, height, width, size):
    path = tmp_path / "video" / "film.mp4"
    assert write_film(path, pictures(30, height, width), 60.0)
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert (stream.height, stream.width) == size
        assert stream.codec_context.name == "h264"
        assert stream.codec_context.pix_fmt == "yuv420p"
        assert stream.average_rate == 60
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    assert len(frames) == 30
    assert np.abs(frames[-1][-20, 50].astype(int) - COLOUR).max() < 8
    content = path.read_bytes()
    assert content.find(b"moov") < content.find(b"mdat"), "the index comes first"
    assert os.listdir(path.parent) == ["film.mp4"]


def test_small_pictures_are_enlarged_pixel_by_pixel():
    picture = np.random.default_rng(0).integers(0, 255, (210, 160, 3)).astype(np.uint8)
    fitted = fit_for_film(picture)
    np.testing.assert_array_equal(fitted[::2, ::2], picture)
    np.testing.assert_array_equal(fitted[1::2, 1::2], picture)


def test_memory_does_not_grow_with_the_film(tmp_path):
    def peak(count):
        tracemalloc.start()
        write_film(tmp_path / "film.mp4", pictures(count), 60.0)
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    peak(10)
    assert peak(300) < peak(30) + 2**20


def test_a_film_that_breaks_off_leaves_nothing(tmp_path):
    def broken():
        yield from pictures(5)
        raise MerlinError("the game is over")

    with pytest.raises(MerlinError, match="over"):
        write_film(tmp_path / "film.mp4", broken(), 60.0)
    assert not write_film(tmp_path / "film.mp4", pictures(5), 60.0, give_up=lambda: True)
    with pytest.raises(MerlinError, match="no pictures"):
        write_film(tmp_path / "film.mp4", iter(()), 60.0)
    assert os.listdir(tmp_path) == []


class Player:
    """Stands for an environment's replay."""

    def __init__(self, error=None):
        self.played: list[tuple[int, int]] = []
        self.error = error

    def __call__(self, seed, actions):
        if self.error is not None:
            raise self.error
        self.played.append((seed, len(actions)))
        return pictures(5, 400, 400)


def make(folder, interval, player, said, stop=lambda: False):
    return Video(folder / "video", interval, player, 30.0, said.append, stop)


def play(video, episodes):
    video.on_start(Progress(0, episodes))
    for episode in range(1, episodes + 1):
        video.on_episode(record(episode))


def test_every_interval_and_the_last_one(tmp_path):
    player, said = Player(), []
    play(make(tmp_path, 2, player, said), 5)
    assert player.played == [(14, 10), (28, 10), (35, 10)]
    names = [f"episode-00000{number}.mp4" for number in (2, 4, 5)]
    assert sorted(os.listdir(tmp_path / "video")) == names
    assert said == [f"video recorded: video/{name}" for name in names]


def test_without_an_interval_there_are_none(tmp_path):
    player = Player()
    play(make(tmp_path, None, player, []), 5)
    assert player.played == []
    assert os.listdir(tmp_path) == []


def test_a_missing_encoder_is_one_line(tmp_path, monkeypatch):
    said: list[str] = []
    monkeypatch.setitem(sys.modules, "av", None)
    play(make(tmp_path, 1, Player(), said), 5)
    assert len(said) == 1 and "no films" in said[0] and "pip install" in said[0]
    monkeypatch.undo()
    said.clear()
    monkeypatch.setattr(film, "_CODECS", ("no_such_codec",))
    play(make(tmp_path, 1, Player(), said), 5)
    assert len(said) == 1 and "encoder" in said[0]


def test_a_film_that_fails_is_one_line_and_the_run_goes_on(tmp_path):
    said: list[str] = []
    play(make(tmp_path, 1, Player(RuntimeError("no display")), said), 5)
    assert said == ["warning: no film of episode 1: no display"]


def test_a_film_that_a_stop_cut_short_is_made_after_the_resume(tmp_path):
    said: list[str] = []
    stopped = []

    def stop():
        stopped.append(True)
        return len(stopped) > 3

    video = make(tmp_path, 2, Player(), said, stop)
    play(video, 3)
    assert said == []
    state = video.state_dict()
    resumed = make(tmp_path, 2, Player(), said)
    resumed.load_state_dict(state)
    resumed.on_start(Progress(3, 5))
    assert said == [f"video recorded: video/episode-00000{number}.mp4" for number in (2, 3)]
    assert resumed.state_dict() == {}
