"""Values that change in the course of a run, as pure functions of where the run stands.

Closed forms: nothing is accumulated, so a run that is taken up again has exactly the values of one that never
stopped.
"""


def epsilon(episode: int, decay_start: int, step: float, minimum: float) -> float:
    """Returns the probability of a random action in an episode.

    It is 1 up to and including episode `decay_start` and falls from there by `step` per episode until it is
    `minimum`: episode decay_start + 1 is played with 1 − step. The first episode is always played with 1.

    Args:
        episode: number of the episode, counted from 1 as in the log.
        decay_start: the last episode with epsilon 1; 0 means the same as 1.
        step: how much epsilon falls per episode, at least 0.
        minimum: where it stays, in [0, 1].
    """
    return max(minimum, 1.0 - step * max(0, episode - max(1, decay_start)))


def linear(progress: float, start: float, end: float) -> float:
    """Returns a value on the straight line from start to end, exact at both ends.

    Args:
        progress: the share of the run that is done; below 0 stands for 0 and above 1 for 1.
        start: value at progress 0.
        end: value at progress 1.
    """
    progress = min(1.0, max(0.0, progress))
    return (1.0 - progress) * start + progress * end
