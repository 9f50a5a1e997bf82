"""model/: when weights are saved, and that they can be read."""

import os

import pytest
import torch

from merlin.errors import MerlinError
from merlin.training.models import Models
from merlin.training.record import Progress
from tests.training.records import record

ABOUT = {"agent_name": "dqn", "net_name": "cnn", "state_shape": (4, 84, 84), "num_actions": 3}


def play(folder, interval, episodes, weights=None):
    said: list[str] = []
    net = torch.nn.Linear(3, 2)
    models = Models(folder, interval, lambda: net.state_dict() if weights is None else weights, ABOUT, said.append)
    models.on_start(Progress(0, episodes))
    for episode in range(1, episodes + 1):
        models.on_episode(record(episode))
    models.on_end()
    return net, said


def test_every_interval_and_at_the_end(tmp_path):
    net, said = play(tmp_path / "model", 2, 5)
    names = ["episode-000002.pt", "episode-000004.pt", "final.pt"]
    assert sorted(os.listdir(tmp_path / "model")) == names
    assert said == [f"model saved: model/{name}" for name in names]
    loaded = torch.load(tmp_path / "model" / "final.pt", weights_only=True)
    assert loaded.pop("weights").keys() == net.state_dict().keys()
    assert loaded == ABOUT | {"episode": 5, "agent_steps": 50}


def test_without_an_interval_only_at_the_end(tmp_path):
    play(tmp_path / "model", None, 5)
    assert os.listdir(tmp_path / "model") == ["final.pt"]


def test_an_agent_without_weights_leaves_nothing(tmp_path):
    assert play(tmp_path / "model", 1, 3, weights={})[1] == []
    assert os.listdir(tmp_path) == []


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "model").write_text("a file in its place")
    with pytest.raises(MerlinError, match=r"cannot write .*final\.pt"):
        play(tmp_path / "model", None, 1)
