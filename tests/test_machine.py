"""How many cores and how much memory there are."""

import os
import platform
import subprocess
import sys

import pytest

from merlin.machine import count_cores, free_memory


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)))


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


@pytest.mark.parametrize(
    ("content", "cores"),
    [("max 100000", 8), ("250000 100000", 2), ("50000 100000", 1), ("1600000 100000", 8), ("?", 8)],
)
def test_affinity_and_quota(tmp_path, content, cores):
    write(tmp_path / "sys/fs/cgroup/cpu.max", content)
    assert count_cores(tmp_path) == cores


def test_the_tightest_of_all_groups_around_the_process_counts(tmp_path):
    write(tmp_path / "proc/self/cgroup", "0::/jobs.slice/job-7")
    groups = tmp_path / "sys/fs/cgroup"
    write(groups / "cpu.max", "max 100000")
    write(groups / "jobs.slice/cpu.max", "300000 100000")
    write(groups / "jobs.slice/job-7/cpu.max", "600000 100000")
    write(groups / "other/cpu.max", "100000 100000")
    assert count_cores(tmp_path) == 3


def test_the_older_kind_of_control_group(tmp_path):
    assert count_cores(tmp_path) == 8
    write(tmp_path / "proc/self/cgroup", "4:cpu,cpuacct:/job\n1:name=systemd:/job")
    write(tmp_path / "sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000")
    for quota, cores in (("-1", 8), ("300000", 3)):
        write(tmp_path / "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", quota)
        assert count_cores(tmp_path) == cores


@pytest.mark.parametrize(("limit", "used", "room"), [("5000", "1000", 4000), ("5000", "6000", 0)])
def test_a_group_s_memory_limit_counts(tmp_path, limit, used, room):
    write(tmp_path / "proc/self/cgroup", "0::/jobs.slice/job-7")
    write(tmp_path / "sys/fs/cgroup/jobs.slice/memory.max", limit)
    write(tmp_path / "sys/fs/cgroup/jobs.slice/memory.current", used)
    assert free_memory(tmp_path) == room


def test_memory_limits_of_version_1(tmp_path):
    write(tmp_path / "proc/self/cgroup", "4:memory:/box")
    write(tmp_path / "sys/fs/cgroup/memory/box/memory.limit_in_bytes", "900")
    write(tmp_path / "sys/fs/cgroup/memory/box/memory.usage_in_bytes", "100")
    assert free_memory(tmp_path) == 800


def test_without_a_limit_the_machine_s_own_memory_counts(tmp_path):
    write(tmp_path / "sys/fs/cgroup/memory.max", "max")
    assert free_memory(tmp_path) > 10_000_000


def test_files_that_can_make_room_are_not_counted_as_used(tmp_path):
    write(tmp_path / "sys/fs/cgroup/memory.max", "5000")
    write(tmp_path / "sys/fs/cgroup/memory.current", "4900")
    write(tmp_path / "sys/fs/cgroup/memory.stat", "active_file 7\ninactive_file 600\ninactive_anon 50")
    assert free_memory(tmp_path) == 700


# In a process of its own, because what is set cannot be asked for or undone.
FAULTS = """
import resource, sys
from merlin.machine import keep_freed_memory

if sys.argv[1] == "kept":
    assert keep_freed_memory()

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def use():
    blocks = [bytearray(2**22) for _ in range(4)]
    return sum(map(len, blocks))

use()
before = faults()
for _ in range(20):
    use()
print(faults() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library keeps memory in its own way")
def test_freed_memory_is_used_again_without_page_faults():
    def faults(how):
        return int(subprocess.run([sys.executable, "-c", FAULTS, how], capture_output=True, check=True).stdout)

    assert faults("kept") < 100 < 1000 < faults("given back")
