"""A text file that only grows, by whole lines, and that a resume can cut back."""

import os
from pathlib import Path

from merlin.errors import MerlinError
from merlin.run_folder import explain


class LineFile:
    """Appends lines, each with one system call: a kill loses none that was written and leaves no half one.

    Args:
        path: the file; made if it is not there, kept if it is. Its folder exists.
    """

    def __init__(self, path: Path):
        self.path = path
        try:
            self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise explain(error, path) from None
        self.size = os.fstat(self._descriptor).st_size

    def write(self, line: str) -> None:
        """Appends one line (or several), the end of line included.

        Raises:
            MerlinError: the disk is full, for example; the file is as it was before.
        """
        content = line.encode()
        try:
            written = os.write(self._descriptor, content)
            while written < len(content):
                # A full disk takes a part first and says why with the next call.
                written += os.write(self._descriptor, content[written:])
        except OSError as error:
            os.ftruncate(self._descriptor, self.size)
            raise explain(error, self.path) from None
        self.size += len(content)

    def sync(self) -> int:
        """Forces everything onto the disk and returns the size in bytes."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise explain(error, self.path) from None
        return self.size

    def cut(self, size: int) -> None:
        """Drops everything after the first `size` bytes.

        Raises:
            MerlinError: there are fewer: the file was changed by somebody else.
        """
        if self.size < size:
            raise MerlinError(
                f"{self.path} has {self.size} bytes where the checkpoint counted {size}: "
                "it was cut or replaced; bring it back, or delete the run's folder to train it anew"
            )
        os.ftruncate(self._descriptor, size)
        self.size = size

    def close(self) -> None:
        """Closes the file. More than once does no harm."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
