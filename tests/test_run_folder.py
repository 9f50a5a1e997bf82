"""The folder of a run: its lock, its state, files that appear whole or not at all."""

import errno
import os
import signal
import subprocess
import sys
import time

import pytest

from merlin import run_folder
from merlin.errors import MerlinError
from merlin.run_folder import HeldError, RunFolder, explain, write_atomically

HOLDER = """
import sys, time
from merlin.run_folder import RunFolder
with RunFolder(sys.argv[1]).lock():
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_folder_held_by_another_process_is_refused_with_its_name(tmp_path, holder, monkeypatch):
    monkeypatch.setattr(run_folder, "_LOCK_PATIENCE_SECONDS", 0.05)
    folder = RunFolder(tmp_path)
    assert folder.held() and folder.state() == "running"
    with pytest.raises(HeldError) as caught, folder.lock():
        pass
    assert str(holder.pid) in str(caught.value)
    assert os.uname().nodename in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_a_kill_frees_the_folder(tmp_path, holder):
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    folder = RunFolder(tmp_path)
    assert not folder.held()
    with folder.lock():
        assert folder.held()
    assert not folder.held()


def test_looking_at_a_folder_never_keeps_a_start_from_holding_it(tmp_path):
    looker = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"from merlin.run_folder import RunFolder\nwhile True: RunFolder({str(tmp_path)!r}).held()",
        ]
    )
    try:
        deadline = time.monotonic() + 1.0
        while time.monotonic() < deadline:
            with RunFolder(tmp_path).lock():
                pass
    finally:
        looker.kill()
        looker.wait()


@pytest.mark.parametrize(
    ("written", "state"),
    [
        (None, "waiting"),
        ({}, "waiting"),
        ({"state": "running"}, "interrupted"),
        ({"state": "interrupted"}, "interrupted"),
        ({"state": "finished"}, "finished"),
        ({"state": "failed"}, "failed"),
    ],
)
def test_state(tmp_path, written, state):
    folder = RunFolder(tmp_path)
    if written is not None:
        folder.write_status(written)
    assert folder.state() == state
    with folder.lock():
        assert folder.state() == "running"
    assert folder.state() == state


@pytest.mark.parametrize("content", ["", "{", "[1]", "\x00", '{"state": 3}'])
def test_a_status_that_cannot_be_understood_counts_as_none(tmp_path, content):
    folder = RunFolder(tmp_path)
    folder.status_json.write_text(content)
    assert folder.state() == "waiting"


def test_a_folder_that_cannot_be_locked(tmp_path):
    with pytest.raises(MerlinError, match="nowhere"), RunFolder(tmp_path / "nowhere").lock():
        pass


def test_write_atomically_replaces_whole_files(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, b"one")
    write_atomically(path, b"three", durable=False)
    assert path.read_bytes() == b"three"
    assert os.listdir(tmp_path) == ["file"]


def test_write_atomically_leaves_the_old_file_if_it_fails(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_atomically(path, b"one")

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, b"two")
    assert path.read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["file"]


def test_explain_names_file_reason_and_remedy(tmp_path):
    path = tmp_path / "sub" / "file"
    full = str(explain(OSError(errno.ENOSPC, "No space left on device"), path))
    assert str(path) in full and "disk is full" in full and "MiB free" in full and "start again" in full
    assert "rights" in str(explain(PermissionError(errno.EACCES, "Permission denied"), path))
    assert "Not a directory" in str(explain(NotADirectoryError(errno.ENOTDIR, "Not a directory"), path))


def test_it_imports_nothing_heavy():
    code = "import sys, merlin.run_folder; print({'torch', 'numpy', 'pydantic'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"


def test_a_finished_run_whose_status_is_lost_is_still_finished(tmp_path):
    folder = RunFolder(tmp_path)
    assert folder.state() == "waiting"
    folder.model.mkdir()
    (folder.model / "final.pt").write_bytes(b"weights")
    folder.status_json.write_text("")
    assert folder.state() == "finished"
    folder.write_status({"state": "interrupted"})
    assert folder.state() == "interrupted"
