"""The captured update, with a stand-in for CUDA: a replay does what was recorded, on the same tensors."""

import torch

from merlin.agents.captured import EAGER_UPDATES, CapturedUpdate, capture
from merlin.experience.batch import Batch


class FakeGraph:
    def __init__(self):
        self.function = None
        self.result = None

    def eager(self, function):
        return function()

    def capture(self, function):
        self.function = function
        self.result = (torch.empty(()), torch.empty(3))
        return self.result

    def replay(self):
        for place, value in zip(self.result, self.function(), strict=True):
            place.copy_(value)


def _batches(count):
    return [Batch(*(torch.full((3,), 7.0 * i + part) for part in range(7))) for i in range(count)]


def test_equals_the_plain_update_for_every_batch():
    def make():
        weight = torch.zeros(())

        def learn(batch):
            weight.add_(batch.reward.sum() + batch.index.sum())
            return weight.clone(), batch.discount + weight

        return learn, weight

    plain, plain_weight = make()
    learn, weight = make()
    captured = CapturedUpdate(learn, FakeGraph())
    kept = []
    for batch in _batches(EAGER_UPDATES + 5):
        expected, got = plain(batch), captured(batch)
        assert torch.equal(weight, plain_weight)
        kept.append((expected, got))
    # Results that were given out earlier are not overwritten by later updates.
    for expected, got in kept:
        assert all(torch.equal(one, other) for one, other in zip(expected, got, strict=True))


def test_on_a_processor_nothing_is_captured():
    def learn(batch):
        return batch.reward, batch.reward

    assert capture(learn, torch.device("cpu")) is learn
