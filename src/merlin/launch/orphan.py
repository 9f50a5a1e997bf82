"""No worker outlives the process that started it: a `merlin train` that was killed leaves nothing behind."""

import ctypes
import os
import signal
import sys
import threading
import time

_PR_SET_PDEATHSIG = 1
_POLL_SECONDS = 0.5


def die_with(parent: int) -> None:
    """Has this process killed as soon as its parent is dead. Ends it at once if that is so already.

    It is SIGKILL, not a request: whoever starts the same command again right away finds the folder free, and
    a run that goes on from its checkpoint is the same as one that was never killed.

    Args:
        parent: process id of the parent.
    """
    if sys.platform == "linux":
        # The kernel watches, so this holds even while the process is stuck in native code.
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    else:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:
        os._exit(1)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_POLL_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)
