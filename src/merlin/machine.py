"""What this process may use of the machine, whatever limits are set around it, and how it keeps memory."""

import ctypes
import math
import os
from pathlib import Path

import psutil

_ROOT = Path("/")


def count_cores(root: Path = _ROOT) -> int:
    """Returns the number of cores: the machine's, less what affinity and the control group take away."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quotas = [quota for folder in _groups("cpu", root) if (quota := _quota(folder)) is not None]
    return max(1, min([cores, *map(math.floor, quotas)]))


def free_memory(root: Path = _ROOT) -> int:
    """Returns the bytes that can still be taken: the machine's, or what the tightest control group leaves."""
    free = psutil.virtual_memory().available
    rooms = [room for folder in _groups("memory", root) if (room := _room(folder)) is not None]
    return max(0, min([free, *rooms]))


def keep_freed_memory() -> bool:
    """Lets the C library keep what this process frees for the next request; returns whether it can.

    By default GNU's C library gives large blocks back to the system as soon as they are free. Each update of a network
    frees several megabytes and asks for them again, and the system then fills every page with zeros anew: some
    hundred to two thousand page faults per update. Blocks of 32 MiB and more, such as a replay, are not kept.
    """
    trim_threshold, mmap_threshold = -1, -3  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of malloc.h
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # another C library
        return False
    return bool(mallopt(mmap_threshold, 32 * 2**20) and mallopt(trim_threshold, 2**30))


def _groups(controller: str, root: Path) -> list[Path]:
    """Returns the folders of this process's control group and all groups around it, of version 1 and 2.

    In a container the outermost one is the container's own.
    """
    base = root / "sys/fs/cgroup"
    folders = [base, base / controller]
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return folders
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "" or controller in controllers.split(","):
            top = folders[1] if controllers else folders[0]
            own = top / path.lstrip("/")
            folders += [own, *(folder for folder in own.parents if folder.is_relative_to(top))]
    return list(dict.fromkeys(folders))


def _room(group: Path) -> int | None:
    """Returns the bytes that a group leaves; None if it has no limit."""
    for limit, used in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
        try:
            room = int((group / limit).read_text()) - int((group / used).read_text())
            return room + _reclaimable(group)
        except (OSError, ValueError):
            continue  # another version, or no limit ("max")
    return None


def _reclaimable(group: Path) -> int:
    """Returns the bytes of files that a group holds in memory and that make room for others when asked to."""
    try:
        lines = (group / "memory.stat").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("inactive_file "))


def _quota(group: Path) -> float | None:
    """Returns a group's quota in cores; None if it has none."""
    try:
        share, period = (group / "cpu.max").read_text().split()  # version 2
    except (OSError, ValueError):
        try:
            share = (group / "cpu.cfs_quota_us").read_text()  # version 1
            period = (group / "cpu.cfs_period_us").read_text()
        except OSError:
            return None
    try:
        return int(share) / int(period) if int(share) > 0 else None
    except (ValueError, ZeroDivisionError):
        return None  # "max"
