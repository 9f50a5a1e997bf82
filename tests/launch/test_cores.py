"""How many cores there are."""

import os

import pytest

from merlin.launch.cores import count_cores


@pytest.mark.parametrize(
    ("content", "cores"),
    [("max 100000", 8), ("250000 100000", 2), ("50000 100000", 1), ("1600000 100000", 8), ("?", 8)],
)
def test_affinity_and_quota(tmp_path, monkeypatch, content, cores):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)))
    (tmp_path / "cpu.max").write_text(content + "\n")
    assert count_cores(tmp_path) == cores


def test_the_older_kind_of_control_group(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)))
    assert count_cores(tmp_path) == 8
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu" / "cpu.cfs_period_us").write_text("100000\n")
    for quota, cores in (("-1", 8), ("300000", 3)):
        (tmp_path / "cpu" / "cpu.cfs_quota_us").write_text(quota + "\n")
        assert count_cores(tmp_path) == cores
