"""console.log: the lines that a person reads while a run goes on."""

from pathlib import Path
from typing import final

from merlin.training.line_file import LineFile
from merlin.training.observers import Observer
from merlin.training.record import EpisodeRecord, Progress

EVENT_MARK = ">>> "
"""How a line begins that tells an event, not an episode."""


@final
class Console(Observer):
    """Writes console.log: a line per episode, and marked lines for what else happens.

    The file only grows. Unlike train_log.csv it is not cut back by a resume: it tells what happened, and
    when. Standard output stays quiet; whoever started the run follows the file.

    Args:
        path: the file.
        experiment: name of the experiment.
        variant: name of the variant.
        run: number of the run.
    """

    name = "console"

    def __init__(self, path: Path, experiment: str, variant: str, run: int | str):
        self._file = LineFile(path)
        self._who = f"{experiment} | {run}@{variant}"
        self._episodes = 0

    def event(self, text: str) -> None:
        """Writes one marked line. Line breaks within become spaces."""
        self._file.write(f"{EVENT_MARK}{self._who} | {' '.join(text.split())}\n")

    def on_start(self, progress: Progress) -> None:
        self._episodes = progress.episodes
        if progress.env_steps:
            self.event(
                f"resumed after episode {progress.episode} of {progress.episodes}, "
                f"step {progress.env_steps:,}, update {progress.updates:,}"
            )

    def on_episode(self, record: EpisodeRecord) -> None:
        self._file.write(format_line(record, self._who, self._episodes))

    def close(self) -> None:
        self._file.close()


def format_line(record: EpisodeRecord, who: str, episodes: int) -> str:
    """Returns the line of one episode of the run `who` ("experiment | run@variant")."""
    loss = "        -" if record.mean_loss is None else f"{record.mean_loss:9.3g}"
    return (
        f"episode {record.episode:>{len(str(episodes))}}/{episodes} | {who} | "
        f"epsilon {record.epsilon:5.3f} | reward {record.reward:8.2f} | loss {loss} | "
        f"steps {record.steps:5d} | {record.seconds:7.2f} s\n"
    )
