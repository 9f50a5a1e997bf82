"""How many processor cores this process may use."""

import math
import os
from pathlib import Path

_ROOT = Path("/")


def count_cores(root: Path = _ROOT) -> int:
    """Returns the number of cores: the machine's, less what affinity and the control group take away."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quotas = [quota for folder in _groups(root) if (quota := _quota(folder)) is not None]
    return max(1, min([cores, *map(math.floor, quotas)]))


def _groups(root: Path) -> list[Path]:
    """Returns the folders of this process's control group and all groups around it, of version 1 and 2.

    In a container the outermost one is the container's own.
    """
    folders = [root / "sys/fs/cgroup", root / "sys/fs/cgroup/cpu"]
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return folders
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "" or "cpu" in controllers.split(","):
            base = folders[1] if controllers else folders[0]
            own = base / path.lstrip("/")
            folders += [own, *(folder for folder in own.parents if folder.is_relative_to(base))]
    return list(dict.fromkeys(folders))


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
