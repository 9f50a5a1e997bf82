"""Reads what is appended to a file, line by line, as often as asked."""

import os
from pathlib import Path
from typing import final


@final
class Follower:
    """Gives the whole lines that were appended to a file since it was made, or since it was last asked.

    Args:
        path: the file; it need not be there yet.
    """

    def __init__(self, path: Path):
        self._path = path
        self._offset = path.stat().st_size if path.exists() else 0
        self._rest = b""

    def lines(self) -> list[str]:
        """Returns the new lines, without their ends."""
        try:
            if os.stat(self._path).st_size <= self._offset:
                return []
            with open(self._path, "rb") as file:
                file.seek(self._offset)
                new = file.read()
        except OSError:
            return []
        self._offset += len(new)
        *lines, self._rest = (self._rest + new).split(b"\n")
        return [line.decode(errors="replace") for line in lines]
