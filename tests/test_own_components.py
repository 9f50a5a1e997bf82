"""A user's own net, agent and environment, written outside the package, named in an experiment and trained."""

import csv

import torch

from merlin.cli import main

# The document's example: a property of the class for a name, and nothing but the layers.
NET = """
from torch import nn

from merlin.nets import BaseNet, net_registry


class NewNet(BaseNet):
    @classmethod
    @property
    def name(cls) -> str:
        return "new_net"

    def _define_net(self, state_shape: tuple[int, ...], num_actions: int) -> nn.Sequential:
        return nn.Sequential(nn.Linear(state_shape[0], 16), nn.Tanh(), nn.Linear(16, num_actions))


net_registry.append(NewNet)
"""

AGENT = '''
import torch
from pydantic import Field

from merlin.agents import Loss, ValueAgent, agent_registry
from merlin.losses import action_value, huber, td_target


@agent_registry.register
class ExpectedSarsa(ValueAgent):
    """Bootstraps from the mean under a soft-max policy."""

    name = "expected_sarsa"

    class Parameters(ValueAgent.Parameters):
        temperature: float = Field(1.0, gt=0, description="Of the soft-max policy.")

    def _loss(self, batch):
        q = self._online(batch.observation)
        following = self._evaluate(self._target, batch.next_observation)
        policy = torch.softmax(following / self.parameters.temperature, dim=1)
        target = td_target(batch.reward, batch.discount, (policy * following).sum(dim=1))
        error = action_value(q, batch.action) - target
        return Loss(huber(error), error, q)
'''

ENV = '''
import gymnasium
import numpy as np
from pydantic import Field

from merlin.envs import BaseGymEnv, env_registry


class CoinGame(gymnasium.Env):
    """Tells heads from tails; ends after a number of coins."""

    observation_space = gymnasium.spaces.Box(0, 1, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, coins):
        self.coins = coins

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = self.coins
        return self._toss(), {}

    def step(self, action):
        self.left -= 1
        reward = float(action == self.side)
        return self._toss(), reward, self.left == 0, False, {}

    def _toss(self):
        self.side = int(self.np_random.integers(2))
        return np.eye(2, dtype=np.float32)[self.side]


@env_registry.register
class Coins(BaseGymEnv):
    name = "coins"

    class Parameters(BaseGymEnv.Parameters):
        coins: int = Field(10, ge=1, description="Coins in one game.")

    def make_env(self, render_mode):
        return CoinGame(self.parameters.coins)
'''

EXPERIMENT = """
imports: [parts/my_net.py, parts/my_agent.py, parts/my_env.py]
env_name: coins
coins: 12
agent_name: expected_sarsa
temperature: 0.5
net_name: new_net
episodes: 60
run_count: 1
alpha: 0.01
optimizer: adam
use_amp: false
learning_starts: 50
memory_size: 1000
target_net_update_interval: 20
gamma: 0.5
epsilon_decay_start: 5
epsilon_step: 0.1
epsilon_min: 0.0
variants:
  - {}
  - dueling: true
"""


def test_trains_what_a_user_wrote(tmp_path, monkeypatch, capfd):
    parts = tmp_path / "parts"
    parts.mkdir()
    for name, text in {"my_net": NET, "my_agent": AGENT, "my_env": ENV}.items():
        (parts / f"{name}.py").write_text(text)
    assert len(AGENT.strip().splitlines()) <= 60
    (tmp_path / "own.yaml").write_text(EXPERIMENT)
    monkeypatch.chdir(tmp_path)
    assert main(["train", "own.yaml"]) == 0, capfd.readouterr()
    for variant in ("default", "dueling=true"):
        run = tmp_path / "results" / "own" / variant / "0"
        with (run / "train_log.csv").open() as file:
            rewards = [float(row["reward"]) for row in csv.DictReader(file)]
        assert len(rewards) == 60
        assert sum(rewards[-10:]) / 10 > 11.5, "the agent has learnt to tell heads from tails"
        weights = torch.load(run / "model" / "final.pt")["weights"]
        assert any("advantage" in name for name in weights) == (variant == "dueling=true")
    # From its own folder each run can be repeated, although the experiment file is gone.
    (tmp_path / "own.yaml").unlink()
    repeated = tmp_path / "results" / "own" / "default" / "0" / "experiment.yaml"
    assert main(["train", str(repeated), "--results", "again"]) == 0, capfd.readouterr()
    logs = [
        [line.split(",")[:10] for line in (tmp_path / name / "own/default/0/train_log.csv").read_text().splitlines()]
        for name in ("results", "again")
    ]
    assert logs[0] == logs[1]
