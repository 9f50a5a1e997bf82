"""The whole command: what it prints, its exit codes, two of it at once, a terminal."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from merlin import launch
from merlin.errors import InputError
from merlin.launch import local
from merlin.run_folder import RunFolder
from merlin.yaml_text import parse_value
from tests.launch.fakes import command, config, starts

ROOT = Path(__file__).parents[2]
START = """
import sys
from pathlib import Path
from merlin import launch
from merlin.launch import local
from tests.launch.fakes import command, config
local.worker_command = command
sys.exit(launch.start([config(variant) for variant in sys.argv[2:]], Path(sys.argv[1]), 2))
"""


@pytest.fixture(autouse=True)
def fake_workers(monkeypatch):
    monkeypatch.setattr(local, "worker_command", command)


def test_from_nothing_to_finished_and_again(tmp_path, capsys):
    configs = [config("finish", run) for run in range(2)]
    assert launch.start(configs, tmp_path / "results") == 0
    out = capsys.readouterr().out
    assert ">>> fake | 0@finish | model saved: model/final.pt\n" in out
    assert out.endswith("2 runs: 2 finished\n")
    assert launch.start(configs, tmp_path / "results") == 0
    out = capsys.readouterr().out
    assert out == "fake | finish | finished already, skipped: run 0, 1\n2 runs: 2 finished before\n"


def test_what_failed_is_listed_with_its_log(tmp_path, capsys):
    assert launch.start([config("bug"), config("finish")], tmp_path) == 1
    out = capsys.readouterr().out
    folder = tmp_path / "fake" / "bug" / "0"
    assert "2 runs: 1 finished, 1 failed\n" in out
    assert f"failed: {folder}: ValueError: something is wrong here\n    see {folder / 'error.log'}\n" in out
    assert "start the same command again" in out
    assert re.search(r"[\x00-\x09\x0b-\x1f\x7f]", out) is None, "no control characters where there is no terminal"


def test_other_parameters_start_nothing(tmp_path):
    launch.start([config()], tmp_path)
    with pytest.raises(InputError):
        launch.start([config(seed=1), config("new")], tmp_path)
    assert not (tmp_path / "fake" / "new").exists()


def test_the_cores_are_divided_among_the_workers(tmp_path, monkeypatch):
    from merlin import machine

    monkeypatch.setattr(machine, "count_cores", lambda: 8)
    configs = [config("finish", run) for run in range(3)]
    launch.start(configs, tmp_path / "default")
    launch.start(configs[:2], tmp_path / "asked", workers=4)
    launch.start(configs[:1], tmp_path / "single", workers=100)

    def threads(name):
        return parse_value(RunFolder(tmp_path / name / "fake" / "finish" / "0").experiment_yaml.read_text())["threads"]

    assert [threads(name) for name in ("default", "asked", "single")] == [2, 4, 8]


def test_two_at_once_on_one_folder(tmp_path):
    arguments = [sys.executable, "-c", START, str(tmp_path), "slow"]
    both = [subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outs = [process.communicate()[0] for process in both]
    assert sorted(process.returncode for process in both) == [0, 1]
    told = outs[[process.returncode for process in both].index(1)]
    assert "held by process" in told
    assert starts(RunFolder(tmp_path / "fake" / "slow" / "0")) == 1


def test_on_a_terminal(tmp_path):
    terminal, end = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
    process = subprocess.Popen(
        [sys.executable, "-c", START, str(tmp_path), "slow", "bug"],
        cwd=ROOT,
        stdout=end,
        stderr=end,
        stdin=end,
        env=environment,
    )
    os.close(end)
    seen = b""
    while True:
        try:
            block = os.read(terminal, 4096)
        except OSError:
            break
        if not block:
            break
        seen += block
    os.close(terminal)
    assert process.wait() == 1
    text = seen.decode()
    assert "mean reward" in text and "0@slow" in text and "\x1b[" in text
    assert ">>> fake | 0@slow | model saved" in text
    assert "2 runs: 1 finished, 1 failed" in text
