"""Every agent solves a game that cannot be solved by chance."""

import numpy as np
import pytest
import torch

import tests.games  # noqa: F401  (registers the corridor)
from merlin.agents import agent_registry
from merlin.experiment import make_config
from merlin.training.assembly import make_agent, make_env, make_source
from merlin.training.loop import train
from merlin.training.recorder import Recorder

LEARNING = {
    "net_name": "fc",
    "features": [32],
    "alpha": 3e-3,
    "optimizer": "adam",
    "use_amp": False,
    "gamma": 0.9,
    "memory_size": 2000,
    "learning_starts": 100,
    "target_net_update_interval": 50,
    "epsilon_decay_start": 10,
    "epsilon_step": 0.03,
    "epsilon_min": 0.05,
}
LEARNERS = [entry.name for entry in agent_registry if entry.cls.learns]


class Records(list):
    def on_episode(self, record):
        self.append(record)


def play(agent_name, **settings):
    learning = LEARNING if agent_name in LEARNERS else {}
    config = make_config({"env_name": "corridor", "agent_name": agent_name, "episodes": 60} | learning | settings)
    env = make_env(config)
    try:
        source = make_source(config, env, None)
        agent = make_agent(config, source.store.layout.state_shape, env.num_actions)
        recorder, records = Recorder(agent, source, config.values["episodes"]), Records()
        source.begin()
        assert train(agent, source, recorder, [records], lambda: None, lambda: False)
    finally:
        env.close()
    return agent, records


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("agent_name", LEARNERS)
def test_each_learning_agent_solves_the_corridor(agent_name):
    agent, records = play(agent_name=agent_name)
    assert agent.act(torch.eye(6)[:5]).tolist() == [0, 1, 1, 0, 1]
    assert np.mean([record.steps for record in records[-10:]]) < 8
    assert all(record.reward == 10 for record in records[-10:])


@pytest.mark.parametrize(
    "settings",
    [
        {"sampling": "prioritized", "n_step": 3},
        {"num_envs": 4, "train_every": 2, "n_step": 2},
        {"sampling": "prioritized", "num_envs": 3, "alpha_cql": 0.01},
        {"num_stacked_frames": 2},
    ],
    ids=str,
)
def test_so_it_does_with_every_kind_of_experience(settings):
    _, records = play(agent_name="double_dqn", episodes=120, **settings)
    assert np.mean([record.steps for record in records[-10:]]) < 8


def test_a_random_walker_does_not():
    _, records = play(agent_name="random_walker", episodes=40)
    assert np.mean([record.steps for record in records]) > 15
    assert {record.epsilon for record in records} == {1.0}
    assert {record.mean_loss for record in records} == {None}


def test_two_equal_runs_are_equal_and_another_seed_is_another_run():
    one, other, third = (
        [(r.reward, r.steps, r.mean_loss) for r in play(agent_name="dqn", episodes=25, **more)[1]]
        for more in ({}, {}, {"seed": 1})
    )
    assert one == other
    assert one != third


def test_counts_what_was_done():
    _, records = play(agent_name="dqn", episodes=25, train_every=3)
    steps = np.cumsum([record.steps for record in records])
    assert [record.env_steps for record in records] == steps.tolist()
    assert [record.frames for record in records] == steps.tolist()
    assert [record.episode for record in records] == list(range(1, 26))
    # The updates that the last step of an episode makes due are made during the next one.
    assert [record.updates for record in records] == [max(0, (step - 1 - 100) // 3 + 1) for step in steps]


def test_the_reward_is_the_game_s_own_and_what_is_learned_from_stands_beside_it():
    _, records = play(agent_name="random_walker", episodes=10, clip_rewards=True, step_penalty=0.125)
    for record in records:
        won = record.terminated
        assert record.reward == (10 if won else 0)
        assert record.learning_reward == (1 if won else 0) - 0.125 * (record.steps - won)


def test_epsilon_falls_by_episodes():
    _, records = play(agent_name="dqn", episodes=45)
    assert [record.epsilon for record in records[:10]] == [1.0] * 10
    assert records[10].epsilon == pytest.approx(0.97)
    assert records[41].epsilon == pytest.approx(0.05)


@pytest.mark.parametrize("use_amp", [False, True])
def test_a_net_for_images_learns_from_pictures(use_amp):
    images = {"env_name": "pictured_corridor", "net_name": "cnn", "features": [4, 8, 8, 16], "use_amp": use_amp}
    _, records = play("double_dqn", **images, num_stacked_frames=2, sampling="prioritized", n_step=2)
    assert np.mean([record.steps for record in records[-10:]]) < 8
