"""Numbers of a benchmark: medians, spreads, ratios, tables, and what machine they come from."""

import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Spread:
    """Measurements of one quantity: their median, smallest and largest value, and their number."""

    median: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        return cls(statistics.median(values), min(values), max(values), len(values))

    def show(self, digits: int = 0, unit: str = "") -> str:
        return f"{self.median:.{digits}f}{unit} ({self.low:.{digits}f}–{self.high:.{digits}f})"


@dataclass(frozen=True)
class Result:
    """What one part of a benchmark found: a table for people, and the same numbers and more for programs."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: dict[str, Any] = field(default_factory=dict)

    def markdown(self) -> str:
        widths = [max(len(row[i]) for row in [self.header, *self.rows]) for i in range(len(self.header))]
        lines = [self.header, ["-" * width for width in widths], *self.rows]
        table = "\n".join(
            "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |"
            for line in lines
        )
        return f"**{self.title}**\n\n{table}\n"


def ratios(values: Sequence[float], others: Sequence[float]) -> Spread:
    """The ratios value/other of windows that followed each other, pair by pair."""
    return Spread.of([value / other for value, other in zip(values, others, strict=True)])


def seconds_of(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def machine() -> dict[str, Any]:
    """What the numbers depend on: processor, cores, memory, versions."""
    packages = {}
    for name in ("torch", "numpy", "gymnasium", "ale-py", "stable-baselines3"):
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = "not installed"
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "load_before": os.getloadavg()[0],
        "python": sys.version.split()[0],
        "packages": packages,
        "date": time.strftime("%Y-%m-%d"),
    }


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
