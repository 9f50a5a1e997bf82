"""One worker: every way to end is written down, as far as that can be."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from merlin.launch import worker
from merlin.launch.worker import execute
from merlin.run_folder import RunFolder
from tests.launch.fakes import jobs, starts, wait_until


@pytest.fixture
def folder(tmp_path) -> RunFolder:
    return jobs(tmp_path, "finish")[0].folder


@pytest.fixture(autouse=True)
def signals_as_before():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_finished_and_then_nothing_more_to_do(folder):
    calls = []

    def train(folder, stop):
        assert folder.read_status()["state"] == "running" and folder.read_status()["pid"] == os.getpid()
        calls.append(folder)
        folder.replay.mkdir()
        return True

    assert execute(folder, train) == 0
    assert execute(folder, train) == 0
    assert len(calls) == 1
    assert folder.state() == "finished" and not folder.replay.exists()
    assert folder.console_log.read_text() == ">>> fake | 0@finish | finished\n"


def test_a_signal_before_the_loop_ends_it_where_it_is(folder):
    def train(folder, stop):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(10)
        raise AssertionError("not reached")

    begun = time.monotonic()
    assert execute(folder, train) == 3
    assert time.monotonic() - begun < 5
    assert folder.state() == "interrupted" and not folder.error_log.exists()


def test_a_library_that_swallows_the_signal_does_not_make_it_a_failure(folder):
    def train(folder, stop):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(10)
        except BaseException:
            raise ImportError("half loaded") from None

    assert execute(folder, train) == 3
    assert folder.state() == "interrupted"


def test_a_signal_within_the_loop_is_left_to_the_loop(folder):
    def train(folder, stop):
        assert not stop()
        os.kill(os.getpid(), signal.SIGINT)
        assert stop()
        return False

    assert execute(folder, train) == 3
    assert folder.state() == "interrupted"
    assert "checkpoint saved" in folder.console_log.read_text()


def test_a_failure_after_a_signal_is_a_failure(folder):
    def train(folder, stop):
        stop()
        os.kill(os.getpid(), signal.SIGINT)
        raise ValueError("in the checkpoint")

    assert execute(folder, train) == 1
    assert folder.state() == "failed"


def test_a_full_disk_is_told_even_if_nothing_can_be_written(folder, monkeypatch, capsys):
    def full(*arguments, **more):
        raise OSError(errno.ENOSPC, "No space left on device")

    def train(folder, stop):
        for name in ("write_atomically", "conclude", "_tell"):
            monkeypatch.setattr(worker, name, full)
        full()

    assert execute(folder, train) == 1
    said = capsys.readouterr().err
    assert str(folder.path) in said and "disk is full" in said and "MiB free" in said
    assert folder.state() == "interrupted", "the last status that could be written, and nobody holds the folder"


def test_the_worker_as_a_command_reads_its_experiment_yaml(folder):
    folder.experiment_yaml.write_text("agent_name: no_such_agent\nrun_count: 1\n")
    done = subprocess.run(
        [sys.executable, "-m", "merlin.launch.worker", str(folder.path)], capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr
    assert "no_such_agent" in done.stderr and "Traceback" not in done.stderr
    assert "no_such_agent" in folder.error_log.read_text()
    assert folder.state() == "failed"


def test_a_worker_whose_parent_is_dead_already_does_not_begin(folder):
    done = subprocess.run([sys.executable, "-m", "merlin.launch.worker", str(folder.path), "--parent", "1"])
    assert done.returncode == 1
    assert os.listdir(folder.path) == ["experiment.yaml"]


def test_a_second_request_ends_a_worker_that_does_not_listen(tmp_path):
    [job] = jobs(tmp_path, "deaf")
    script = Path(__file__).with_name("fake_worker.py")
    process = subprocess.Popen([sys.executable, str(script), str(job.folder.path), str(os.getpid())])
    wait_until(lambda: starts(job.folder))
    for pause in (0.2, 0.2, 1.2):
        time.sleep(pause)
        assert process.poll() is None, "two within a second are one request"
        process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=10) == 3
    assert job.folder.state() == "interrupted"
