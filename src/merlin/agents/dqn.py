"""Deep Q-learning."""

from typing import final

from merlin import losses
from merlin.agents.value_agent import Loss, ValueAgent
from merlin.experience.batch import Batch


@final
class DQN(ValueAgent):
    """Deep Q-learning and its variants, which its parameters switch on and which compose.

    Mnih et al., "Human-level control through deep reinforcement learning" (2015). `double`: van Hasselt, Guez and
    Silver, "Deep reinforcement learning with double Q-learning" (2016). `dueling`: Wang et al., "Dueling network
    architectures for deep reinforcement learning" (2016). Without `target_net` it is the algorithm of Mnih et al.,
    "Playing Atari with deep reinforcement learning" (2013).
    """

    name = "dqn"

    def _loss(self, batch: Batch) -> Loss:
        q = self._online(batch.observation).float()
        next_q = self._evaluate(self._target, batch.next_observation).float()
        if self.parameters.double:
            next_q_online = self._evaluate(self._online, batch.next_observation).float()
            bootstrap = losses.double_bootstrap(next_q_online, next_q)
        else:
            bootstrap = losses.max_bootstrap(next_q)
        target = losses.td_target(batch.reward, batch.discount, bootstrap)
        error = losses.action_value(q, batch.action) - target
        measure = losses.huber if self.parameters.td_loss == "huber" else losses.squared
        return Loss(measure(error), error, q)
