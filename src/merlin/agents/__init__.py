"""Agents: what acts and learns. To add one, derive a class from `ValueAgent` (or `BaseAgent`) and register it here."""

from merlin.agents.base import BaseAgent, Surroundings, Totals
from merlin.agents.dqn import DQN
from merlin.agents.random_walker import RandomWalker
from merlin.agents.value_agent import Loss, ValueAgent
from merlin.registry import Registry

__all__ = ["BaseAgent", "Loss", "Surroundings", "Totals", "ValueAgent", "agent_registry"]

agent_registry = Registry(
    "agent",
    [
        DQN,
        RandomWalker,
    ],
)
agent_registry.preset("basic_dqn", DQN, target_net=False)
agent_registry.preset("double_dqn", DQN, double=True)
agent_registry.preset("dueling_dqn", DQN, dueling=True)
