"""Makes the record of each finished episode out of what the source, the agent and the clock say."""

import time

import numpy as np

from merlin.agents.base import BaseAgent
from merlin.envs.base import Step
from merlin.experience.live import LiveSource, Played
from merlin.training.record import EpisodeRecord, Progress


class Recorder:
    """Numbers the episodes in the order in which they end, and knows where each copy of the game began its own.

    Args:
        agent: asked for its totals where an episode begins or ends, and at no other time.
        source: asked for its counts.
        episodes: how many records there are to be; what ends after them is not recorded.
        with_states: whether records hold the last state of their episode.
    """

    def __init__(self, agent: BaseAgent, source: LiveSource, episodes: int, with_states: bool = False) -> None:
        self._agent, self._source, self._with_states = agent, source, with_states
        self._episodes = episodes
        self._recorded = 0
        num_envs = source.env.num_envs
        # Updates, sum of losses and sum of mean Q at the beginning of each copy's episode.
        self._begun = np.zeros((num_envs, 3))
        self._since = np.full(num_envs, time.monotonic())

    @property
    def done(self) -> bool:
        """Whether all episodes are recorded."""
        return self._recorded >= self._episodes

    @property
    def progress(self) -> Progress:
        """How far the run is."""
        source = self._source
        return Progress(self._recorded, self._episodes, source.agent_steps, source.frames, self._agent.totals().updates)

    def records(self, step: Step, played: list[Played]) -> list[EpisodeRecord]:
        """Returns the records of the episodes that a step ended, and notes where new ones began."""
        begins = step.first.any()
        if not begins and not played:
            return []
        totals = self._agent.totals()
        now = np.array([totals.updates, totals.loss, totals.q])
        clock = time.monotonic()
        self._begun[step.first] = now
        self._since[step.first] = clock
        states = self._source.store.state() if self._with_states and played else None
        records = []
        for each in played[: self._episodes - self._recorded]:
            self._recorded += 1
            episode, env = each.episode, each.episode.env_index
            updates, loss, q = now - self._begun[env]
            records.append(
                EpisodeRecord(
                    episode=self._recorded,
                    env_index=env,
                    env_steps=self._source.agent_steps,
                    frames=self._source.frames,
                    updates=totals.updates,
                    epsilon=each.epsilon,
                    reward=episode.reward,
                    learning_reward=each.learning_reward,
                    mean_loss=loss / updates if updates else None,
                    mean_q=q / updates if updates else None,
                    steps=episode.steps,
                    seconds=clock - self._since[env],
                    terminated=episode.terminated,
                    truncated=episode.truncated,
                    seed=episode.seed,
                    actions=episode.actions,
                    last_state=None if states is None else states[env].cpu().numpy(),
                )
            )
        return records

    def state_dict(self) -> dict:
        """Returns what restores the recorder; times as they have passed, not as the clock shows them."""
        return {
            "recorded": self._recorded,
            "begun": self._begun.copy(),
            "seconds": time.monotonic() - self._since,
        }

    def load_state_dict(self, state: dict) -> None:
        """Restores the recorder."""
        self._recorded = state["recorded"]
        self._begun = np.array(state["begun"])
        self._since = time.monotonic() - np.asarray(state["seconds"])
