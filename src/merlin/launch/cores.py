"""How many processor cores this process may use."""

import math
import os
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")


def count_cores(cgroup: Path = _CGROUP) -> int:
    """Returns the number of cores: the machine's, less what affinity and the control group take away."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota(cgroup)
    return max(1, cores if quota is None else min(cores, math.floor(quota)))


def _quota(cgroup: Path) -> float | None:
    """Returns the quota in cores; None if there is none. A container sees its own group as the root."""
    try:
        share, period = (cgroup / "cpu.max").read_text().split()  # version 2
    except (OSError, ValueError):
        try:
            share = (cgroup / "cpu" / "cpu.cfs_quota_us").read_text().strip()  # version 1
            period = (cgroup / "cpu" / "cpu.cfs_period_us").read_text().strip()
        except OSError:
            return None
    try:
        return int(share) / int(period) if int(share) > 0 else None
    except (ValueError, ZeroDivisionError):
        return None  # "max"
