"""train_log.csv: one row per episode, the truth about a run."""

from pathlib import Path
from typing import Any, final

from merlin.training.line_file import LineFile
from merlin.training.observers import Observer
from merlin.training.record import EpisodeRecord, Progress

COLUMNS = (
    "episode",
    "env_steps",
    "frames",
    "updates",
    "epsilon",
    "reward",
    "learning_reward",
    "mean_loss",
    "mean_q",
    "steps",
    "seconds",
    "steps_per_second",
)
TIME_COLUMNS = ("seconds", "steps_per_second")
"""What differs between two otherwise equal runs."""


@final
class CsvLog(Observer):
    """Writes train_log.csv. A resume drops the rows after its checkpoint and writes them again, identically.

    Args:
        path: the file. Rows of an earlier start that came to no checkpoint are dropped.
    """

    name = "csv_log"

    def __init__(self, path: Path):
        self._path = path
        self._file: LineFile | None = None
        self._keep = self._checksum = 0

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._keep, self._checksum = int(state["bytes"]), int(state["crc32"])

    def on_start(self, progress: Progress) -> None:
        self._file = LineFile(self._path)
        self._file.cut(self._keep, self._checksum)
        if not self._keep:
            self._file.write(",".join(COLUMNS) + "\n")

    def on_episode(self, record: EpisodeRecord) -> None:
        assert self._file is not None, "on_episode before on_start"
        self._file.write(format_row(record))

    def state_dict(self) -> dict[str, Any]:
        """Returns the size of the file, of which every byte is on the disk then."""
        assert self._file is not None, "state_dict before on_start"
        return {"bytes": self._file.sync(), "crc32": self._file.checksum}

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def format_row(record: EpisodeRecord) -> str:
    """Returns the row of one episode: exact numbers (the shortest that read back the same), rounded times."""
    return (
        f"{record.episode},{record.env_steps},{record.frames},{record.updates},"
        f"{_exact(record.epsilon)},{_exact(record.reward)},{_exact(record.learning_reward)},"
        f"{_exact(record.mean_loss)},{_exact(record.mean_q)},"
        f"{record.steps},{record.seconds:.6f},{record.steps_per_second:.3f}\n"
    )


def _exact(value: float | None) -> str:
    # float(): numpy's own numbers print as np.float64(…).
    return "" if value is None else repr(float(value))
