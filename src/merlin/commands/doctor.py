"""What this machine offers for training, and what to do about what is missing."""

import importlib
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rich.text import Text

from merlin.commands.tables import console, table

_STYLES = {"ok": "green", "optional": "yellow", "missing": "bold red"}
_LEAST_MEMORY = 2 * 2**30


@dataclass(frozen=True)
class Finding:
    """What was found about one thing.

    Attributes:
        subject: what was looked at.
        state: "ok"; "optional" if something is missing that merlin works without; "missing" if it does not.
        found: what there is.
        advice: what to do about what is missing.
    """

    subject: str
    state: Literal["ok", "optional", "missing"]
    found: str
    advice: str = ""


def examine(checks: Iterable[Callable[[], Finding]] | None = None) -> int:
    """Prints what the checks find; returns 1 if something is missing that nothing works without, else 0."""
    findings = [_guarded(check) for check in (CHECKS if checks is None else checks)]
    out = console()
    rows = [(f.subject, Text(f.state, style=_STYLES[f.state]), f.found, f.advice) for f in findings]
    out.print(table(("what", "state", "found", "what to do"), rows))
    missing = [finding.subject for finding in findings if finding.state == "missing"]
    out.print(f"\nmerlin cannot work without: {', '.join(missing)}" if missing else "\nmerlin can train here.")
    return 1 if missing else 0


def _guarded(check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except Exception as error:  # a broken installation can raise anything, and the other checks still matter
        name = getattr(check, "__name__", "a check").strip("_")
        return Finding(name, "optional", f"the check fails: {type(error).__name__}: {error}")


def _python() -> Finding:
    return Finding("Python", "ok", f"{platform.python_version()} ({sys.executable})")


def _imported(module: str) -> Any:
    """Returns a module, or the error as text: a package may be there and still not load."""
    try:
        return importlib.import_module(module)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _torch() -> Finding:
    torch = _imported("torch")
    if isinstance(torch, str):
        return Finding("torch", "missing", torch, "pip install torch")
    return Finding("torch", "ok", torch.__version__)


def _packages() -> Finding:
    names = ("numpy", "gymnasium", "pydantic", "yaml", "rich", "scipy", "psutil", "pandas", "matplotlib", "PIL")
    broken = [f"{name} ({found})" for name in names if isinstance(found := _imported(name), str)]
    if broken:
        return Finding("packages", "missing", ", ".join(broken), "pip install --force-reinstall merlin-rl")
    return Finding("packages", "ok", f"all {len(names)} that merlin needs")


def _device() -> Finding:
    torch = _imported("torch")
    if isinstance(torch, str):
        return Finding("device", "missing", "unknown without torch", "pip install torch")
    if torch.cuda.is_available():
        names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
        return Finding("device", "ok", f"CUDA {torch.version.cuda}: {', '.join(names)}")
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None and torch.version.cuda:
        reason, advice = f"CUDA_VISIBLE_DEVICES is '{visible}'", "unset CUDA_VISIBLE_DEVICES to use a GPU"
    elif torch.version.cuda is None:
        reason, advice = "this torch is built without CUDA", "for a GPU, install torch as pytorch.org says"
    else:
        reason, advice = "no GPU or no driver", "for a GPU, look whether nvidia-smi shows it"
    return Finding("device", "ok", f"cpu ({reason})", advice)


def _bf16() -> Finding:
    torch = _imported("torch")
    if isinstance(torch, str):
        return Finding("bf16", "optional", "unknown without torch")
    from merlin.agents.precision import autocast_type

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if autocast_type(device) is None:
        return Finding("bf16", "optional", f"no instructions for it on this {device}", "use_amp has no effect: float32")
    return Finding("bf16", "ok", f"in hardware on this {device}; use_amp uses it")


def _cores() -> Finding:
    from merlin.machine import count_cores

    return Finding("cores", "ok", f"{count_cores()} usable of {os.cpu_count()}")


def _memory() -> Finding:
    import psutil

    from merlin.machine import free_memory

    total, free = psutil.virtual_memory().total, free_memory()
    found = f"{free / 2**30:.1f} GiB free of {total / 2**30:.1f} GiB"
    if free < _LEAST_MEMORY:
        return Finding("memory", "optional", found, "a smaller memory_size fits; --dry-run shows what it takes")
    return Finding("memory", "ok", found)


def _disk() -> Finding:
    free = shutil.disk_usage(Path.cwd()).free
    if free < _LEAST_MEMORY:
        return Finding("disk", "optional", f"{free / 2**30:.1f} GiB free here", "make room, or use --results elsewhere")
    return Finding("disk", "ok", f"{free / 2**30:.1f} GiB free here")


def _atari() -> Finding:
    ale = _imported("ale_py")
    advice = 'for Atari games (pong too): pip install "merlin-rl[atari]"'
    if isinstance(ale, str):
        return Finding("ALE", "optional", ale, advice)
    if isinstance(opencv := _imported("cv2"), str):
        return Finding("ALE", "optional", f"ale_py {ale.__version__}, but no cv2 ({opencv})", advice)
    return Finding("ALE", "ok", f"ale_py {ale.__version__}")


def _roms() -> Finding:
    roms = _imported("ale_py.roms")
    if isinstance(roms, str):
        return Finding("ROMs", "optional", "none without ale_py", 'pip install "merlin-rl[atari]"')
    found = roms.get_all_rom_ids()
    if "pong" not in found:
        return Finding("ROMs", "optional", f"{len(found)}, and pong is not among them", "pip install --upgrade ale-py")
    return Finding("ROMs", "ok", f"{len(found)} games")


def _encoder() -> Finding:
    from merlin.training.film import NoEncoder, find_encoder

    try:
        return Finding("encoder", "ok", f"H.264 by {find_encoder()}")
    except NoEncoder as error:
        return Finding("encoder", "optional", str(error), 'for videos: pip install "merlin-rl[video]"')


CHECKS: tuple[Callable[[], Finding], ...] = (
    _python,
    _torch,
    _packages,
    _device,
    _bf16,
    _cores,
    _memory,
    _disk,
    _atari,
    _roms,
    _encoder,
)
