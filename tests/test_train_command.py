"""`merlin train` as users start it: signals, kills from outside at random moments, a disk that fills up."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import torch

from merlin.run_folder import RunFolder
from merlin.training.csv_log import COLUMNS, TIME_COLUMNS
from tests.launch.fakes import wait_until

EXPERIMENT = """\
env_name: CartPole-v1
agent_name: double_dqn
net_name: fc
features: [32]
threads: 1
run_count: 2
optimizer: adam
alpha: 1e-3
use_amp: false
episodes: 150
tail: 20
memory_size: 600
learning_starts: 100
checkpoint_interval: 150
epsilon_decay_start: 1
epsilon_step: 0.02
video_record_interval: null
"""


def start(folder: Path) -> subprocess.Popen:
    (folder / "pole.yaml").write_text(EXPERIMENT)
    command = [sys.executable, "-m", "merlin.cli", "train", "pole.yaml", "--workers", "2"]
    # A session of its own, as a terminal gives it, so that a signal reaches the command alone.
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def runs(folder: Path) -> list[RunFolder]:
    return [RunFolder(folder / "results" / "pole" / "default" / str(run)) for run in range(2)]


def has_learnt_for_a_while(folder: Path) -> bool:
    return all(each.train_log.exists() and each.train_log.read_text().count("\n") > 10 for each in runs(folder))


def outcome(folder: Path) -> list:
    """What must be the same whatever happened on the way: the logs without their times, and the weights."""
    timeless = [i for i, column in enumerate(COLUMNS) if column not in TIME_COLUMNS]
    found = []
    for run in runs(folder):
        lines = [line.split(",") for line in run.train_log.read_text().splitlines()]
        weights = torch.load(run.model / "final.pt")["weights"]
        found.append(([[line[i] for i in timeless] for line in lines], {n: w.tolist() for n, w in weights.items()}))
    return found


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unbroken")
    process = start(folder)
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 0, said
    return outcome(folder)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_within_seconds_and_the_same_command_goes_on(tmp_path, unbroken, number):
    process = start(tmp_path)
    wait_until(lambda: has_learnt_for_a_while(tmp_path), 60)
    begun = time.monotonic()
    process.send_signal(number)
    said, _ = process.communicate(timeout=60)
    assert time.monotonic() - begun < 15
    assert process.returncode == 130
    assert "the same command" in said and "Traceback" not in said
    assert [run.state() for run in runs(tmp_path)] == ["interrupted"] * 2
    process = start(tmp_path)
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert outcome(tmp_path) == unbroken


def test_killed_with_all_its_processes_at_random_moments(tmp_path, unbroken):
    moments = random.Random(0)
    for _ in range(4):
        process = start(tmp_path)
        time.sleep(moments.uniform(2, 5))
        for each in [*psutil.Process(process.pid).children(recursive=True), process]:
            each.kill()
        process.communicate(timeout=60)
    process = start(tmp_path)
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert outcome(tmp_path) == unbroken


@pytest.fixture
def small_disk(tmp_path):
    """A file system of one and a half megabytes, where mounting is allowed."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    command = [str(mount), "-t", "tmpfs", "-o", "size=1536k", "none", str(place)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small file system needs more rights")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_disk_that_fills_up(small_disk, unbroken):
    ballast = small_disk / "ballast"
    process = start(small_disk)
    wait_until(lambda: has_learnt_for_a_while(small_disk), 60)
    with ballast.open("wb") as file:
        # Short pieces, so that the last free page is taken too.
        while True:
            try:
                os.write(file.fileno(), bytes(4096))
            except OSError:
                break
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 1, said
    assert "the disk is full" in said and str(Path("results", "pole", "default")) in said
    assert "Traceback" not in said
    ballast.unlink()
    process = start(small_disk)
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert outcome(small_disk) == unbroken
