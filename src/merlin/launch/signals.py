"""Counts the signals that ask this process to end."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self, final

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@final
class Signals:
    """Takes over SIGINT, SIGTERM and SIGHUP within a `with` block, but for the ignored ones, as under nohup.

    Attributes:
        count: how many have come.
    """

    def __init__(self) -> None:
        self.count = 0
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
