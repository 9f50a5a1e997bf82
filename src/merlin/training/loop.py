"""The one training loop. It only sequences: the source plays and remembers, the agent learns, observers do the rest."""

from collections.abc import Callable, Sequence

from merlin.agents.base import BaseAgent
from merlin.experience.live import LiveSource
from merlin.training.observers import Observer
from merlin.training.recorder import Recorder


def train(
    agent: BaseAgent,
    source: LiveSource,
    recorder: Recorder,
    observers: Sequence[Observer],
    between_steps: Callable[[], None],
    should_stop: Callable[[], bool],
) -> bool:
    """Trains until all episodes are played, or until it is told to stop.

    Args:
        agent: what learns.
        source: where its experience comes from.
        recorder: makes the records of finished episodes; knows how many there are to be.
        observers: told of every finished episode, in this order.
        between_steps: called after each step; writes a checkpoint if one is due, and says how far the run is.
        should_stop: asked between two steps.

    Returns:
        whether all episodes were played.
    """
    while not recorder.done:
        if should_stop():
            return False
        source.start_step(agent)
        for _ in range(source.updates_due()):
            batch = source.sample()
            source.set_priorities(batch, agent.update(batch))
        step, played = source.finish_step()
        for record in recorder.records(step, played):
            for observer in observers:
                observer.on_episode(record)
        between_steps()
    return True
