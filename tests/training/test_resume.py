"""A run that is killed and started again equals one that never was: the same log, the same weights, to the last bit."""

import multiprocessing
import os
import random
import signal

import pytest
import torch
from torch import nn

from merlin.experiment import make_config
from merlin.nets import BaseNet, net_registry
from merlin.run_folder import RunFolder
from merlin.training import checkpoint
from merlin.training.csv_log import COLUMNS, TIME_COLUMNS

COMMON = {
    "agent_name": "double_dqn",
    "threads": 1,
    "optimizer": "adam",
    "alpha": 1e-3,
    "use_amp": False,
    "learning_starts": 40,
    "batch_size": 8,
    "n_step": 3,
    "train_every": 2,
    "target_net_update_interval": 30,
    "epsilon_decay_start": 1,
    "epsilon_step": 0.1,
    "video_record_interval": None,
}
CARTPOLE = {
    "env_name": "CartPole-v1",
    "net_name": "fc",
    "features": [16],
    "episodes": 40,
    "memory_size": 160,
    "checkpoint_interval": 70,
}
PONG = {
    "env_name": "pong",
    "net_name": "cnn",
    "features": [4, 4, 4, 8],
    "input_dim": 36,
    "episodes": 5,
    # Games end early, so that a few hundred steps hold several of them.
    "max_frames_per_episode": 400,
    "memory_size": 120,
    "checkpoint_interval": 90,
}

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["merlin.training.run"])


def _train(path: str, kill_at_step: int | None, kill_at_sync: int | None) -> None:
    """Trains a folder and, if asked to, kills its own process before a step or within the writing of a checkpoint."""
    from merlin.experiment import load_run
    from merlin.training.run import run

    folder = RunFolder(path)
    config = load_run(folder.experiment_yaml)
    torch.set_num_threads(config.values["threads"])
    steps = syncs = 0

    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def should_stop() -> bool:
        nonlocal steps
        steps += 1
        if steps == kill_at_step:
            die()
        return False

    fsync = os.fsync

    def fsync_or_die(descriptor: int) -> None:
        nonlocal syncs
        syncs += 1
        if syncs == kill_at_sync:
            die()
        fsync(descriptor)

    os.fsync = fsync_or_die
    assert run(folder, config, should_stop)


def _start(folder: RunFolder, kill_at_step: int | None = None, kill_at_sync: int | None = None) -> int | None:
    process = _processes.Process(target=_train, args=(str(folder.path), kill_at_step, kill_at_sync))
    process.start()
    process.join()
    return process.exitcode


def _make(path, **settings) -> RunFolder:
    folder = RunFolder(path)
    path.mkdir()
    folder.experiment_yaml.write_text(make_config(COMMON | settings, run_count=1).to_yaml())
    return folder


def _log(folder: RunFolder) -> list[list[str]]:
    timeless = [i for i, column in enumerate(COLUMNS) if column not in TIME_COLUMNS]
    lines = folder.train_log.read_text().splitlines()
    return [[line.split(",")[i] for i in timeless] for line in lines]


def _assert_equal(folder: RunFolder, other: RunFolder) -> None:
    assert _log(folder) == _log(other)
    one, two = (torch.load(each.model / "final.pt")["weights"] for each in (folder, other))
    assert one.keys() == two.keys()
    assert all(torch.equal(one[name], two[name]) for name in one)


@pytest.mark.parametrize("sampling", ["uniform", "prioritized"])
@pytest.mark.parametrize("num_envs", [1, 8])
@pytest.mark.parametrize("game", [CARTPOLE, PONG], ids=["cartpole", "pong"])
def test_killed_at_any_moment(tmp_path, game, num_envs, sampling):
    more = {"sampling": sampling, "num_envs": num_envs}
    if num_envs == 8:
        more |= {"episodes": 2 * game["episodes"], "memory_size": 2 * game["memory_size"]}
    unbroken, killed = _make(tmp_path / "a", **(game | more)), _make(tmp_path / "b", **(game | more))
    assert _start(unbroken) == 0
    rows = _log(unbroken)
    steps = int(rows[-1][1])
    assert steps > 2 * (game | more)["memory_size"], "the replay has wrapped round"
    ticks = steps // num_envs
    moments = random.Random(f"{game['env_name']}{num_envs}{sampling}")
    assert _start(killed, kill_at_step=3) == -signal.SIGKILL  # in the warm-up
    assert _start(killed, kill_at_sync=2) == -signal.SIGKILL  # within the first checkpoint
    assert _start(killed, kill_at_step=moments.randrange(ticks // 3, ticks // 2)) == -signal.SIGKILL
    assert _start(killed, kill_at_sync=5) == -signal.SIGKILL
    assert _start(killed, kill_at_step=moments.randrange(2, max(3, ticks // 4))) == -signal.SIGKILL
    assert _start(killed) == 0
    _assert_equal(unbroken, killed)


class Wobbly(BaseNet):
    """A net that draws from PyTorch's own generator while it learns, and keeps running statistics."""

    name = "wobbly"

    def _define_net(self, state_shape, num_actions):
        return nn.Sequential(
            nn.Linear(state_shape[0], 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, num_actions)
        )


net_registry.register(Wobbly)


@pytest.mark.parametrize(
    "settings",
    [
        CARTPOLE | {"net_name": "wobbly", "optimizer": "rmsprop", "target_net": False},
        PONG | {"net_name": "conv_net", "use_amp": True, "threads": 2, "dueling": True},
    ],
    ids=["dropout", "bf16"],
)
def test_nets_with_a_state_of_their_own(tmp_path, settings):
    settings = {name: value for name, value in settings.items() if name != "features"}
    unbroken, killed = (_make(tmp_path / name, **settings) for name in "ab")
    assert _start(unbroken) == 0
    assert _start(killed, kill_at_step=200) == -signal.SIGKILL
    assert _start(killed) == 0
    _assert_equal(unbroken, killed)


def test_a_damaged_checkpoint_costs_one_interval_and_nothing_else(tmp_path):
    unbroken, killed = (_make(tmp_path / name, **CARTPOLE, sampling="prioritized") for name in "ab")
    assert _start(unbroken) == 0
    assert _start(killed, kill_at_step=int(_log(unbroken)[-1][1]) - 20) == -signal.SIGKILL
    newest = max(killed.checkpoint.glob("*.ckpt"), key=lambda path: int(path.stem))
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 1
    newest.write_bytes(content)
    assert _start(killed) == 0
    _assert_equal(unbroken, killed)
    assert "is damaged" in killed.console_log.read_text()


def test_stopping_writes_a_checkpoint_and_loses_nothing(tmp_path):
    from merlin.training.run import run

    unbroken, stopped = (_make(tmp_path / name, **CARTPOLE) for name in "ab")
    assert _start(unbroken) == 0
    asked = iter([False] * 100 + [True])
    config = make_config(COMMON | CARTPOLE, run_count=1)
    assert run(stopped, config, lambda: next(asked)) is False
    state = checkpoint.load(stopped.checkpoint)
    assert state is not None
    assert state["source"]["store"]["head"] == 100
    assert _start(stopped) == 0
    _assert_equal(unbroken, stopped)


def test_films_and_pictures_and_saved_models_change_nothing(tmp_path):
    plain = _make(tmp_path / "a", **PONG)
    filmed = _make(
        tmp_path / "b",
        **(PONG | {"video_record_interval": 1, "save_state_img": True, "model_save_interval": 2}),
    )
    assert _start(plain) == _start(filmed) == 0
    _assert_equal(plain, filmed)
    assert len(list(filmed.video.glob("*.mp4"))) == 5
    assert list(filmed.img.glob("*.png"))
