"""How much memory a replay takes, and whether it is there."""

import functools
from collections.abc import Sequence

import numpy as np

from merlin.config import Config
from merlin.envs import BaseEnv, env_registry
from merlin.envs.base import Layout as EnvLayout
from merlin.errors import MerlinError
from merlin.experience.frame_store import Layout
from merlin.machine import free_memory

LONGEST_INTERVAL = 10_000
"""Agent steps between two checkpoints, if the experiment sets no number and nothing makes it shorter."""

_INTERVALS_KEPT = 2
_SLACK_SHARE = 0.04
_SLACK_BYTES = 24 * 2**20


def checkpoint_ticks(config: Config, env: EnvLayout) -> int:
    """Returns after how many steps of all copies together a checkpoint is due.

    The replay keeps what was seen in two intervals beyond `memory_size`, because a run that is killed may have to
    go back to the last checkpoint but one. Unless the experiment sets the interval, those take 4 % of the replay or
    24 MiB, whichever is more.
    """
    interval = config.values["checkpoint_interval"]
    if interval is None:
        slack = max(_SLACK_SHARE * config.values.get("memory_size", 0), _SLACK_BYTES / _one(env).bytes)
        interval = min(LONGEST_INTERVAL, slack / _INTERVALS_KEPT)
    return max(1, int(interval) // config.values["num_envs"])


def store_layout(config: Config, env: EnvLayout) -> Layout:
    """Returns the layout of the run's frame store."""
    num_envs = config.values["num_envs"]
    return Layout(
        num_envs=num_envs,
        # An agent that does not learn needs the newest state only.
        window=max(1, config.values.get("memory_size", 1) // num_envs),
        stack=config.values["num_stacked_frames"],
        frame_shape=tuple(env.frame_shape),
        frame_dtype=np.dtype(env.frame_dtype),
        slack=_INTERVALS_KEPT * checkpoint_ticks(config, env),
    )


def replay_bytes(config: Config) -> int:
    """Returns the memory that the replay of a run takes."""
    layout = store_layout(config, env_layout(config))
    # A sum tree has twice as many nodes as leaves, and a power of two of those.
    entries = layout.rows * layout.num_envs
    tree = 16 * (1 << (entries - 1).bit_length()) if config.values.get("sampling") == "prioritized" else 0
    return layout.bytes + tree


def check(configs: Sequence[Config], at_once: int) -> None:
    """Makes sure that the largest replays which can be at work at one time fit into memory.

    Args:
        configs: the runs that are about to start.
        at_once: how many of them run at one time.

    Raises:
        MerlinError: they do not fit; names the numbers, and the largest `memory_size` that does.
    """
    largest = sorted(configs, key=replay_bytes, reverse=True)[:at_once]
    needed, free = sum(map(replay_bytes, largest)), free_memory()
    if needed <= free or not largest:
        return
    first = largest[0]
    room = free / len(largest)
    fits = int(first.values.get("memory_size", 0) * room / replay_bytes(first))
    while fits > 2 and replay_bytes(first.with_values(memory_size=fits)) > room:
        fits = int(0.99 * fits)
    advice = f"Lower memory_size: at most {fits:,} fits here" if fits > 1 else "Not even a small memory_size fits here"
    raise MerlinError(
        f"The replays of {len(largest)} run(s) at a time need {needed / 2**20:,.0f} MiB of memory, but only "
        f"{free / 2**20:,.0f} MiB are free. {advice} "
        f"(now {first.values.get('memory_size', 0):,} in {first.values['experiment']}, variant "
        f"{first.values['variant']}), or use fewer --workers."
    )


def env_layout(config: Config) -> EnvLayout:
    """Returns what the run's environment looks like; opens one copy of it to see."""
    cls = env_registry.find(config.values["env_name"]).cls
    return _layout_of(cls, config.with_values(num_envs=1).part(cls.Parameters).model_dump_json())


@functools.cache
def _layout_of(cls: type[BaseEnv], parameters: str) -> EnvLayout:
    env = cls(cls.Parameters.model_validate_json(parameters), seed_of=lambda env, episode: 0)
    try:
        return env.layout
    finally:
        env.close()


def _one(env: EnvLayout) -> Layout:
    return Layout(1, 1, 1, tuple(env.frame_shape), np.dtype(env.frame_dtype))
