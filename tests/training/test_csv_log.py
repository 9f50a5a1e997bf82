"""train_log.csv: its rows, and what a resume keeps of them."""

import csv
import errno
import os
import resource
import subprocess
import sys

import numpy as np
import pytest

from merlin.errors import MerlinError
from merlin.training.csv_log import COLUMNS, CsvLog, format_row
from merlin.training.record import Progress
from tests.training.records import record


def write(path, episodes, state=None) -> CsvLog:
    log = CsvLog(path)
    if state is not None:
        log.load_state_dict(state)
    log.on_start(Progress(0, 10))
    for episode in episodes:
        log.on_episode(record(episode))
    return log


def test_columns_and_values(tmp_path):
    write(tmp_path / "log.csv", []).close()
    assert (tmp_path / "log.csv").read_text() == (
        "episode,env_steps,frames,updates,epsilon,reward,learning_reward,mean_loss,mean_q,"
        "steps,seconds,steps_per_second\n"
    )
    row = format_row(record(3, updates=5, epsilon=np.float64(0.1) + 0.2, mean_loss=np.float32(0.1), mean_q=1e-7))
    assert row == "3,30,120,5,0.30000000000000004,-3.0,-1.0,0.10000000149011612,1e-07,10,0.500000,20.000\n"
    assert format_row(record(1)) == "1,10,40,0,1.0,-1.0,-1.0,,,10,0.500000,20.000\n"


def test_rows_after_the_checkpoint_are_written_again(tmp_path):
    path = tmp_path / "log.csv"
    log = write(path, [1, 2])
    state = log.state_dict()
    for episode in (3, 4):
        log.on_episode(record(episode))
    log.close()
    whole = path.read_bytes()
    write(path, [3, 4], state).close()
    assert path.read_bytes() == whole
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["episode"] for row in rows] == ["1", "2", "3", "4"]
    assert tuple(rows[0]) == COLUMNS


def test_without_a_checkpoint_it_begins_anew(tmp_path):
    path = tmp_path / "log.csv"
    write(path, [1, 2, 3]).close()
    write(path, [1]).close()
    assert path.read_text().count("\n") == 2


def test_every_row_is_there_at_once(tmp_path):
    path = tmp_path / "log.csv"
    log = write(path, [1])
    assert path.read_text().endswith(format_row(record(1)))
    log.close()


def test_a_log_that_somebody_cut_is_noticed(tmp_path):
    path = tmp_path / "log.csv"
    log = write(path, [1, 2])
    state = log.state_dict()
    log.close()
    path.write_text("episode\n")
    with pytest.raises(MerlinError, match="checkpoint counted"):
        write(path, [], state)


def test_a_full_disk_leaves_whole_rows(tmp_path, monkeypatch):
    path = tmp_path / "log.csv"
    log = write(path, [1])
    before = path.read_bytes()
    real = os.write

    def short(descriptor, content):
        if len(content) < 20:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, content[:15])

    monkeypatch.setattr(os, "write", short)
    with pytest.raises(MerlinError, match="disk is full"):
        log.on_episode(record(2))
    monkeypatch.undo()
    assert path.read_bytes() == before
    log.on_episode(record(2))
    assert path.read_bytes() == before + format_row(record(2)).encode()
    log.close()


def test_a_limit_on_the_size_of_files_leaves_whole_rows(tmp_path):
    path = tmp_path / "log.csv"
    code = f"""
import resource
from pathlib import Path
from merlin.errors import MerlinError
from tests.training.test_csv_log import write
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write(Path({str(path)!r}), range(1000))
except MerlinError as error:
    print(error)
"""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    answer = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True).stdout
    assert "File too large" in answer and str(path) in answer
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) > 10 and all(line.endswith(b"\n") and line.count(b",") == 11 for line in lines)


def test_a_row_costs_little(tmp_path):
    log = write(tmp_path / "log.csv", [])
    one = record(1, mean_loss=0.1, mean_q=0.2)
    before = resource.getrusage(resource.RUSAGE_SELF)
    for _ in range(1000):
        log.on_episode(one)
    after = resource.getrusage(resource.RUSAGE_SELF)
    log.close()
    assert after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime < 0.5


def test_rows_that_somebody_changed_are_not_gone_on_with(tmp_path):
    path = tmp_path / "train_log.csv"
    log = CsvLog(path)
    log.on_start(Progress(0, 10))
    log.on_episode(record(1))
    state = log.state_dict()
    log.close()
    path.write_bytes(path.read_bytes().replace(b"1", b"7"))
    again = CsvLog(path)
    again.load_state_dict(state)
    with pytest.raises(MerlinError, match="was changed"):
        again.on_start(Progress(1, 10))
