"""The folder of one run: where its files lie, who holds it, and how it stands. Knows names of files only.

Light enough for everything to import: no numpy, no torch.
"""

import errno
import fcntl
import json
import os
import shutil
import socket
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from merlin.errors import MerlinError

State = Literal["waiting", "running", "interrupted", "finished", "failed"]
"""waiting: not begun; running: a live process holds it; interrupted: stopped or killed, can go on."""

# `held` takes the lock for some microseconds to see whether it can; `lock` waits until that is over.
_LOCK_PATIENCE_SECONDS = 1.0


class HeldError(MerlinError):
    """Another live process holds the run's folder."""


class RunFolder:
    """One run's folder, `results/<experiment>/<variant>/<run>/`. Making the object touches no disk."""

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)
        self.experiment_yaml = self.path / "experiment.yaml"
        self.train_log = self.path / "train_log.csv"
        self.console_log = self.path / "console.log"
        self.status_json = self.path / "status.json"
        self.error_log = self.path / "error.log"
        self.model = self.path / "model"
        self.video = self.path / "video"
        self.img = self.path / "img"
        self.checkpoint = self.path / "checkpoint"
        self.replay = self.path / "replay"
        self.lock_file = self.path / ".lock"

    def __repr__(self) -> str:
        return f"RunFolder({str(self.path)!r})"

    def read_status(self) -> dict[str, Any]:
        """Returns what status.json says; {} where there is none or it cannot be understood."""
        try:
            status = json.loads(self.status_json.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return status if isinstance(status, dict) else {}

    def write_status(self, status: dict[str, Any], durable: bool = False) -> None:
        """Replaces status.json, which is written often; forced onto the disk only where it says how a run ended."""
        text = json.dumps(status, ensure_ascii=False, indent=1) + "\n"
        write_atomically(self.status_json, text.encode(), durable)

    def state(self) -> State:
        """Returns how the run stands. A run whose status says "running" but that nobody holds was killed."""
        if self.held():
            return "running"
        if self.finished:
            return "finished"
        match self.read_status().get("state"):
            case "failed":
                return "failed"
            case "running" | "interrupted":
                return "interrupted"
            case _:
                return "waiting"

    @property
    def finished(self) -> bool:
        """Whether the run came to its end. Where status.json is lost, its last model tells."""
        status = self.read_status()
        return status.get("state") == "finished" or (not status and (self.model / "final.pt").exists())

    def held(self) -> bool:
        """Says whether a live process holds this folder."""
        try:
            descriptor = os.open(self.lock_file, os.O_RDONLY)
        except OSError:
            return False
        try:
            return not _try_flock(descriptor, fcntl.LOCK_SH)
        finally:
            os.close(descriptor)

    @contextmanager
    def lock(self) -> Generator[None]:
        """Holds this folder within the context. The kernel frees it with the process, however that ends.

        Raises:
            HeldError: another live process holds it.
            MerlinError: the folder cannot be written.
        """
        try:
            descriptor = os.open(self.lock_file, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise explain(error, self.lock_file) from None
        try:
            deadline = time.monotonic() + _LOCK_PATIENCE_SECONDS
            while not _try_flock(descriptor, fcntl.LOCK_EX):
                if time.monotonic() > deadline:
                    holder = os.pread(descriptor, 1000, 0).decode(errors="replace").strip()
                    raise HeldError(
                        f"{self.path} is held by {holder or 'another process'}: "
                        "wait until it is done, or end it, and start again"
                    )
                time.sleep(0.01)
            try:
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
            except OSError as error:
                # The lock is what counts. On a full disk only the words are missing.
                if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                    raise
            yield
        finally:
            os.close(descriptor)

    def remove_what_resumes(self) -> None:
        """Deletes checkpoints and frames, which a finished run has no use for; only for who holds the folder."""
        # Without its frames a checkpoint is worth nothing, so the checkpoints go first.
        shutil.rmtree(self.checkpoint, ignore_errors=True)
        shutil.rmtree(self.replay, ignore_errors=True)

    def remove_left_overs(self) -> None:
        """Deletes what a kill left of files that were being written; only for who holds the folder."""
        for folder in (self.path, self.model, self.video, self.img, self.checkpoint):
            for left_over in folder.glob(".*.tmp"):
                left_over.unlink(missing_ok=True)


def write_atomically(path: Path, content: bytes, durable: bool = True) -> None:
    """Writes a file that appears whole or not at all: aside in the same folder, then renamed.

    Args:
        path: the file; its folder exists.
        content: all of it.
        durable: also survives a power cut.

    Raises:
        OSError: it could not be written; the file is as it was before, and nothing is left over.
    """
    aside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(aside, "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(aside, path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Forces the names within a folder onto the disk, so that a rename survives a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def explain(error: OSError, path: Path) -> MerlinError:
    """Returns what a user should read when a file could not be written: which, why, and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return MerlinError(
            f"cannot write {path}: the disk is full or a quota is reached ({_free_space(path)}); "
            "what was saved before is still good: make room and start again"
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return MerlinError(f"cannot write {path}: {error.strerror}; choose another results folder or change its rights")
    return MerlinError(f"cannot write {path}: {error.strerror or error}")


def _free_space(path: Path) -> str:
    for folder in (path, *path.parents):
        try:
            return f"{shutil.disk_usage(folder).free / 2**20:,.1f} MiB free"
        except OSError:
            continue
    return "free space unknown"


def _try_flock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise
    return True
