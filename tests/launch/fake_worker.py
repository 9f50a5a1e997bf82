"""A worker whose training is a few lines, named by its variant. Arguments: folder, parent."""

import errno
import os
import signal
import sys
import time
from pathlib import Path

from merlin.errors import MerlinError
from merlin.launch.orphan import die_with
from merlin.launch.worker import execute
from merlin.run_folder import RunFolder
from merlin.training.console import Console
from merlin.training.status import running


def train(folder, stop):
    variant = folder.path.parent.name
    with open(folder.path / "starts", "a") as file:
        file.write(f"{os.getpid()}\n")
    console = Console(folder.console_log, "fake", variant, folder.path.name)
    folder.write_status(running() | {"episode": 2, "episodes": 4, "mean_reward": 1.5, "steps_per_second": 10.0})
    console.event("model saved: model/final.pt")
    match variant:
        case "bug":
            raise ValueError("something is wrong here")
        case "fault":
            raise MerlinError("no such game: Pnog")
        case "full":
            raise OSError(errno.ENOSPC, "No space left on device", str(folder.path / "train_log.csv"))
        case "crash":
            print("last words", flush=True)
            os.kill(os.getpid(), signal.SIGSEGV)
        case "exit":
            os._exit(7)
        case "setup":  # never asks whether to stop
            time.sleep(60)
        case "deaf":
            stop()
            while True:
                time.sleep(0.01)
        case "wait":
            while not stop():
                time.sleep(0.01)
            (folder.path / "checkpointed").touch()
            return False
        case "chatty":
            for _ in range(10_000):
                print("a library has much to say")
        case "slow":
            time.sleep(2)
    folder.replay.mkdir(exist_ok=True)
    return True


if __name__ == "__main__":
    die_with(int(sys.argv[2]))
    sys.exit(execute(RunFolder(Path(sys.argv[1])), train))
