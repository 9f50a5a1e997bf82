"""Experience from a live game: the agent plays, and what it saw is kept to be drawn again."""

from dataclasses import dataclass

import numpy as np
import torch

from merlin import schedules
from merlin.envs.base import BaseEnv, Episode, Step
from merlin.experience.batch import Batch
from merlin.experience.frame_store import CUT, GOES_ON, TERMINAL, FrameStore
from merlin.experience.parameters import ExplorationParameters, ReplayParameters
from merlin.experience.samplers import Sampler


@dataclass(frozen=True)
class Played:
    """A finished episode.

    Attributes:
        episode: what the environment tells of it; its reward is the game's own.
        learning_reward: the sum of the rewards as the agent learned from them.
        epsilon: the chance of a random action in its last step.
    """

    episode: Episode
    learning_reward: float
    epsilon: float


class LiveSource:
    """Plays a game step by step and draws batches from what was played.

    A step has two halves, `start_step` and `finish_step`; between them the environments may play in a thread of
    their own while the agent learns. What is drawn in between does not hold the step under way, so the outcome does
    not depend on who is faster.

    Args:
        env: the copies of the game.
        store: where observations are kept.
        sampler: how they are drawn; None for an agent that does not learn.
        replay: parameters of the replay; None for an agent that does not learn.
        exploration: parameters of the exploration; None for an agent that needs none.
        episodes: how many are to be played; the schedules of the replay and the exploration run over them.
        generator: for exploration.
    """

    def __init__(
        self,
        env: BaseEnv,
        store: FrameStore,
        sampler: Sampler | None,
        replay: ReplayParameters | None,
        exploration: ExplorationParameters | None,
        episodes: int,
        generator: np.random.Generator,
    ) -> None:
        self.env, self.store = env, store
        self._sampler, self._replay, self._exploration = sampler, replay, exploration
        self._episodes, self._generator = episodes, generator
        self.agent_steps = 0
        self.frames = 0
        self.episodes_played = 0
        self._updates = 0
        self._learning_reward = np.zeros(env.num_envs)
        self._actions = np.zeros(env.num_envs, np.int64)

    @property
    def epsilon(self) -> float:
        """The chance of a random action now."""
        if self._exploration is None:
            return 1.0
        e = self._exploration
        return schedules.epsilon(self.episodes_played + 1, e.epsilon_decay_start, e.epsilon_step, e.epsilon_min)

    def begin(self) -> None:
        """Resets all copies of the game; not called where a state is loaded instead."""
        self.store.begin(self.env.reset())

    def start_step(self, agent) -> None:
        """Chooses an action for each copy of the game and lets the copies play."""
        if self._exploration is None:
            self._actions = agent.act(self.store.state())
        else:
            # Both are drawn in every step, so that the stream of numbers does not depend on what they are used for.
            explores = self._generator.random(self.env.num_envs) < self.epsilon
            random = self._generator.integers(self.env.num_actions, size=self.env.num_envs)
            self._actions = random if explores.all() else np.where(explores, random, agent.act(self.store.state()))
        self.env.send(self._actions)

    def updates_due(self) -> int:
        """Returns how many updates the agent is to make before `finish_step`."""
        if self._replay is None:
            return 0
        # Before the first update there must be a batch of complete transitions.
        start = max(self._replay.learning_starts, self._replay.batch_size + self._replay.n_step * self.env.num_envs)
        if self.agent_steps < start:
            return 0
        return (self.agent_steps - start) // self._replay.train_every + 1 - self._updates

    def sample(self) -> Batch:
        """Returns the batch of one update."""
        assert self._replay is not None and self._sampler is not None
        progress = self.episodes_played / max(1, self._episodes - 1)
        exponent = schedules.linear(progress, self._replay.importance_exponent, 1.0)
        row, env, weight = self._sampler.sample(self._replay.batch_size, exponent)
        observation, action, reward, following, discount = self.store.gather(
            row, env, self._replay.n_step, self._replay.gamma
        )
        index = torch.from_numpy(self.store.index(row, env))
        self._updates += 1
        return Batch(observation, action, reward, following, discount, torch.from_numpy(weight), index)

    def set_priorities(self, batch: Batch, td_error: torch.Tensor) -> None:
        """Takes note of the absolute TD errors, [B], of a batch."""
        if self._sampler is not None and self._sampler.wants_errors:
            self._sampler.update(batch.index.numpy(), td_error.float().cpu().numpy())

    def finish_step(self) -> tuple[Step, list[Played]]:
        """Waits for the copies, keeps what they saw, and returns it with the episodes that ended."""
        epsilon = self.epsilon
        step = self.env.recv()
        acted = ~step.first
        reward = self._to_learn_from(step.reward)
        end = np.where(step.terminated | step.life_lost, TERMINAL, np.where(step.truncated, CUT, GOES_ON))
        self.store.record(self._actions, reward, end, acted, step.observation, step.first)
        if self._sampler is not None:
            self._sampler.advance()
        self.agent_steps += int(acted.sum())
        self.frames += int(step.frames.sum())
        self._learning_reward += np.where(acted, reward, 0.0)
        played = []
        for episode in step.episodes:
            played.append(Played(episode, float(self._learning_reward[episode.env_index]), epsilon))
            self._learning_reward[episode.env_index] = 0.0
        self.episodes_played += len(played)
        return step, played

    def state_dict(self) -> dict:
        """Returns what restores the source at this point, between two steps; frames stay in the store's files."""
        return {
            "env": self.env.state_dict(),
            "store": self.store.state_dict(),
            "sampler": self._sampler.state_dict() if self._sampler else None,
            "generator": self._generator.bit_generator.state,
            "agent_steps": self.agent_steps,
            "frames": self.frames,
            "episodes_played": self.episodes_played,
            "updates": self._updates,
            "learning_reward": self._learning_reward,
        }

    def load_state_dict(self, state: dict) -> None:
        """Restores the source; the running episodes are played again up to where they were."""
        self.env.load_state_dict(state["env"])
        self.store.load_state_dict(state["store"])
        if self._sampler:
            self._sampler.load_state_dict(state["sampler"])
        self._generator.bit_generator.state = state["generator"]
        self.agent_steps, self.frames = state["agent_steps"], state["frames"]
        self.episodes_played, self._updates = state["episodes_played"], state["updates"]
        self._learning_reward = np.asarray(state["learning_reward"])

    def _to_learn_from(self, reward: np.ndarray) -> np.ndarray:
        parameters = self.env.parameters
        learned = np.where(reward == 0, reward - parameters.step_penalty, reward)
        return np.clip(learned, -1.0, 1.0) if parameters.clip_rewards else learned
