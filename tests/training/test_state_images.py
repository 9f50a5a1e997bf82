"""img/: what the net sees."""

import os

import numpy as np
from PIL import Image

from merlin.training.state_images import StateImages, side_by_side
from tests.training.records import record


def test_the_stack_lies_side_by_side_enlarged(tmp_path):
    said: list[str] = []
    images = StateImages(tmp_path / "img", said.append)
    state = np.arange(3 * 100 * 80, dtype=np.uint8).reshape(3, 100, 80)
    for episode in range(1, 101):
        images.on_episode(record(episode, last_state=state))
    assert sorted(os.listdir(tmp_path / "img")) == [
        f"episode-{number:06d}.png" for number in (1, 2, 5, 10, 20, 50, 100)
    ]
    with Image.open(tmp_path / "img" / "episode-000001.png") as picture:
        pixels = np.asarray(picture)
    assert pixels.shape == (300, 3 * 240 + 2 * 3)
    np.testing.assert_array_equal(pixels[::3, :240:3], state[0])
    np.testing.assert_array_equal(pixels[::3, -240::3], state[2])
    assert said == []


def test_states_that_are_no_images_are_told_once(tmp_path):
    said: list[str] = []
    images = StateImages(tmp_path / "img", said.append)
    for episode in (1, 2):
        images.on_episode(record(episode, last_state=np.zeros(4, np.float32)))
    assert len(said) == 1
    assert os.listdir(tmp_path) == []


def test_large_frames_keep_their_size():
    assert side_by_side(np.zeros((1, 300, 200), np.uint8)).shape == (300, 200)
