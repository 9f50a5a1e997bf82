"""How a worker is asked to end."""

import os
import signal
import time
from types import FrameType
from typing import final

from merlin.launch.job import EXIT_INTERRUPTED

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_ONE_REQUEST_SECONDS = 1.0


class Interrupted(BaseException):
    """A signal came before the loop began to ask for it: there is nothing new to keep."""


@final
class Stop:
    """Whether the run is to end: once SIGINT or SIGTERM has come. A second one ends the process at once.

    Signals within a second of the first are the same request: a scheduler sends one to every process of a
    job, and the parent passes its own on.
    """

    def __init__(self) -> None:
        self._signals = 0
        self._first = 0.0
        self._asked = False

    def __call__(self) -> bool:
        """Says whether the run is to end. From the first call on, a signal is left to whoever calls."""
        self._asked = True
        return self._signals > 0

    @property
    def early(self) -> bool:
        """Whether a signal came before anybody asked."""
        return self._signals > 0 and not self._asked

    def listen(self) -> None:
        """Takes over the signals."""
        for number in _SIGNALS:
            signal.signal(number, self._on_signal)

    def deafen(self) -> None:
        """Ignores signals from now on: it is over, and the last lines are being written."""
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._signals += 1
        if self._signals == 1:
            self._first = time.monotonic()
            if not self._asked:
                raise Interrupted
        elif time.monotonic() - self._first > _ONE_REQUEST_SECONDS:
            os._exit(EXIT_INTERRUPTED)
