"""The update that all value-based agents share, against numbers computed by hand."""

import copy
import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from merlin.agents import Surroundings
from merlin.agents.dqn import DQN
from merlin.errors import MerlinError
from merlin.experience.batch import Batch
from merlin.nets import BaseNet


class Table(BaseNet):
    """Q(s, a) = sum over i of s_i W[a, i]: one weight per pair, so that every gradient is known."""

    name = "table"

    def _define_net(self, state_shape, num_actions):
        layer = nn.Linear(state_shape[0], num_actions, bias=False)
        nn.init.constant_(layer.weight, 0.5)
        return nn.Sequential(layer)


def make(**parameters: Any) -> DQN:
    surroundings = Surroundings(
        state_shape=(2,),
        num_actions=3,
        device=torch.device("cpu"),
        make_net=lambda outputs: Table((2,), outputs),
        generator=np.random.default_rng(0),
    )
    defaults: dict[str, Any] = {"use_amp": False, "alpha": 0.1, "max_gradient_norm": None}
    return DQN(DQN.Parameters(**(defaults | parameters)), surroundings)


def batch(**changes: Any) -> Batch:
    """Four transitions, three actions, two numbers a state: no two sizes are alike."""
    parts: dict[str, Any] = {
        "observation": torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.0]]),
        "action": torch.tensor([0, 1, 2, 0]),
        "reward": torch.tensor([1.0, 0.0, -1.0, 5.0]),
        "next_observation": torch.tensor([[0.0, 1.0], [1.0, 1.0], [4.0, 0.0], [2.0, 2.0]]),
        "discount": torch.tensor([0.5, 0.25, 1.0, 0.0]),
        "weight": torch.ones(4),
        "index": torch.arange(4),
    }
    return Batch(**(parts | changes))


def weights(agent: DQN) -> torch.Tensor:
    return next(iter(agent.weights().values()))


# With all weights 0.5: Q = [0.5, 0.5, 1, 1]; best next = [0.5, 1, 2, 2]; targets = [1.25, 0.25, 1, 5];
# errors (value − target) = [-0.75, 0.25, 0, -4].


def test_returns_absolute_td_errors():
    assert make().update(batch()).tolist() == [0.75, 0.25, 0.0, 4.0]


def test_counts_updates_losses_and_values():
    agent = make()
    agent.update(batch())
    totals = agent.totals()
    assert totals.updates == 1
    # Huber: ½·0.75² , ½·0.25², 0, 4 − ½
    assert totals.loss == pytest.approx((0.28125 + 0.03125 + 0 + 3.5) / 4)
    assert totals.q == pytest.approx((0.5 + 0.5 + 1 + 1) / 4)


def test_squared_loss():
    agent = make(td_loss="squared")
    agent.update(batch())
    assert agent.totals().loss == pytest.approx((0.5625 + 0.0625 + 0 + 16) / 4)


def _step(**parameters: Any) -> torch.Tensor:
    """What one update, with the optimizer replaced by plain descent of rate 1, adds to the weights."""
    changes = {name: parameters.pop(name) for name in ("weight",) if name in parameters}
    agent = make(**parameters)
    agent._optimizer = torch.optim.SGD(agent._weights, lr=1.0)
    agent.update(batch(**changes))
    return weights(agent) - 0.5


def test_gradient_by_hand():
    # Huber's slope is the error clipped to ±1: [-0.75, 0.25, 0, -1], each times its observation, over 4.
    expected = [[(0.75 + 2.0) / 4, 0], [0, -0.25 / 4], [0, 0]]
    torch.testing.assert_close(_step(), torch.tensor(expected))


def test_importance_weights_scale_each_sample():
    expected = [[(0.5 * 0.75 + 3 * 2.0) / 4, 0], [0, 0], [0, 0]]
    torch.testing.assert_close(_step(weight=torch.tensor([0.5, 0.0, 1.0, 3.0])), torch.tensor(expected))


def test_gradient_norm_is_clipped():
    full = _step()
    clipped = _step(max_gradient_norm=0.01)
    assert clipped.norm().item() == pytest.approx(0.01, rel=1e-3)
    torch.testing.assert_close(clipped / clipped.norm(), full / full.norm(), rtol=1e-3, atol=1e-4)


def test_conservative_penalty_by_hand():
    # All three values of a state are alike, so the soft-max is 1/3 each: the penalty's slope is 1/3 − [taken].
    plain, conservative = _step(), _step(alpha_cql=0.6)
    observation, action = batch().observation, batch().action
    expected = torch.zeros(3, 2)
    for state, taken in zip(observation, action, strict=True):
        for a in range(3):
            expected[a] -= 0.6 * (1 / 3 - float(a == taken)) * state / 4
    torch.testing.assert_close(conservative - plain, expected)


def test_double_lets_the_online_network_choose_and_the_target_network_value():
    agent = make(double=True)
    with torch.no_grad():
        agent._online.net[0].weight.copy_(torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]))
        agent._target.net[0].weight.copy_(torch.tensor([[0.1, 0.2], [0.3, 0.4], [7.0, 8.0]]))
    only = Batch(*(part[:1] for part in batch()))
    # In [0, 1] the online network prefers action 0, which the target network values at 0.2, not at its own best, 8.
    # Q(s, a) = 0, target = 1 + 0.5 · 0.2
    assert agent.update(only).item() == pytest.approx(1.1)


def test_without_a_target_network_the_newest_weights_make_the_target():
    agent = make(target_net=False)
    with torch.no_grad():
        agent._online.net[0].weight.fill_(1.0)
    # Q = [1, 1, 2, 2], best next = [1, 2, 4, 4], targets = [1.5, 0.5, 3, 5]
    assert agent.update(batch()).tolist() == [0.5, 0.5, 1.0, 3.0]


def test_the_target_network_is_refreshed_every_so_many_updates():
    agent = make(target_net_update_interval=3)
    begun = {name: value.clone() for name, value in agent._target.state_dict().items()}
    for update in range(1, 7):
        agent.update(batch())
        same = all(torch.equal(value, agent.weights()[name]) for name, value in agent._target.state_dict().items())
        assert same == (update % 3 == 0)
        if update < 3:
            assert all(torch.equal(value, begun[name]) for name, value in agent._target.state_dict().items())


def test_the_target_network_gets_no_gradient():
    agent = make()
    agent.update(batch())
    assert all(parameter.grad is None for parameter in agent._target.parameters())


def test_acts_greedily():
    agent = make()
    with torch.no_grad():
        agent._online.net[0].weight.copy_(torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.6, 0.6]]))
    assert agent.act(torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])).tolist() == [0, 1, 2]


def test_images_are_scaled_to_one():
    images = {
        "observation": torch.tensor([[255, 0], [0, 255], [255, 255], [0, 0]], dtype=torch.uint8),
        "next_observation": torch.zeros(4, 2, dtype=torch.uint8),
    }
    # Q = [0.5, 0.5, 1, 0], nothing follows: targets are the rewards [1, 0, -1, 5].
    assert make().update(batch(**images)).tolist() == pytest.approx([0.5, 0.5, 2, 5])


@pytest.mark.parametrize("optimizer", ["adam", "rmsprop"])
def test_a_restored_agent_learns_on_exactly(optimizer):
    agent, other = (
        make(optimizer=optimizer, target_net_update_interval=4),
        make(optimizer=optimizer, target_net_update_interval=4),
    )
    for _ in range(6):
        agent.update(batch())
    other.load_state_dict(copy.deepcopy(agent.state_dict()))
    for _ in range(5):
        assert torch.equal(agent.update(batch()), other.update(batch()))
    assert torch.equal(weights(agent), weights(other))
    assert agent.totals() == other.totals()


@pytest.mark.parametrize(
    ("changes", "source"),
    [
        ({"reward": torch.tensor([1.0, math.nan, 0, 0])}, "`reward`"),
        ({"next_observation": torch.full((4, 2), math.inf)}, "`next_observation`"),
    ],
)
def test_nan_in_the_batch_stops_training_and_names_its_source(changes, source):
    with pytest.raises(MerlinError, match=rf"update 2: .*{source}"):
        agent = make()
        agent.update(batch())
        agent.update(batch(**changes))


def test_weights_that_overflow_stop_training_and_say_what_to_do():
    agent = make()
    with torch.no_grad():
        agent._online.net[0].weight.fill_(math.inf)
    with pytest.raises(MerlinError, match="Lower alpha"):
        agent.update(batch())


def test_dueling_replaces_the_head():
    agent = make(dueling=True)
    assert sorted(agent.weights()) == [
        "0.advantage.bias",
        "0.advantage.weight",
        "0.value.bias",
        "0.value.weight",
    ]
    before = {name: value.clone() for name, value in agent.weights().items()}
    agent.update(batch())
    changed = {name for name, value in agent.weights().items() if not torch.equal(value, before[name])}
    assert changed == set(before)
