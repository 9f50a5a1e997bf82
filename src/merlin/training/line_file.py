"""A text file that only grows, by whole lines, and that a resume can cut back."""

import os
import zlib
from pathlib import Path

from merlin.errors import MerlinError
from merlin.run_folder import explain

_BLOCK_BYTES = 1 << 20


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
        self.checksum = self._checksum_of(self.size)

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
        self.checksum = zlib.crc32(content, self.checksum)

    def sync(self) -> int:
        """Forces everything onto the disk and returns the size in bytes."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise explain(error, self.path) from None
        return self.size

    def cut(self, size: int, checksum: int) -> None:
        """Drops everything after the first `size` bytes.

        Raises:
            MerlinError: there are fewer, or their CRC-32 is another: the file was changed by somebody else.
        """
        found = self._checksum_of(size)
        if self.size < size or found != checksum:
            what = f"has {self.size} bytes where the checkpoint counted {size}" if self.size < size else "was changed"
            raise MerlinError(
                f"{self.path} {what}: it is not the file that the checkpoint goes on with; bring that back, or delete "
                "the run's folder to train it anew"
            )
        os.ftruncate(self._descriptor, size)
        self.size, self.checksum = size, found

    def _checksum_of(self, size: int) -> int:
        checksum = 0
        with self.path.open("rb") as file:
            while size > 0 and (block := file.read(min(size, _BLOCK_BYTES))):
                checksum = zlib.crc32(block, checksum)
                size -= len(block)
        return checksum

    def close(self) -> None:
        """Closes the file. More than once does no harm."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
