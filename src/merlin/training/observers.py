"""The seam between the loop, which only sequences, and everything that watches it."""

from collections.abc import Sequence
from typing import Any, ClassVar

from merlin.training.record import EpisodeRecord, Progress


class Observer:
    """Watches a run. This one does nothing; what an observer does not care about, it inherits.

    The loop calls, in this order: `load_state_dict` if a checkpoint is taken up, `on_start` once,
    `on_episode` after each episode, `state_dict` while a checkpoint is put together and `on_checkpoint` once
    it is on the disk, `on_end` if (and only if) the run came to its end, and `close` always, however the run
    ended.

    An observer never changes training: it draws from no generator of the run and steps none of its
    environments.
    """

    name: ClassVar[str]
    """The key of this observer's state within a checkpoint."""

    def on_start(self, progress: Progress) -> None:
        """The loop is about to begin, or to go on where `progress` stands."""

    def on_episode(self, record: EpisodeRecord) -> None:
        """An episode has ended."""

    def on_checkpoint(self) -> None:
        """A checkpoint has been written."""

    def on_end(self) -> None:
        """All episodes have been played."""

    def close(self) -> None:
        """Lets go of files and threads. More than once does no harm."""

    def state_dict(self) -> dict[str, Any]:
        """Returns what it needs to go on as if nothing had happened: plain values, arrays, tensors."""
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes up what `state_dict` gave."""


def gather_state(observers: Sequence[Observer]) -> dict[str, dict[str, Any]]:
    """Returns the state of all observers that have one, by their names."""
    return {observer.name: state for observer in observers if (state := observer.state_dict())}


def restore_state(observers: Sequence[Observer], states: dict[str, dict[str, Any]]) -> None:
    """Gives each observer its own state back."""
    for observer in observers:
        if observer.name in states:
            observer.load_state_dict(states[observer.name])
