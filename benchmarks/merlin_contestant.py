"""merlin's DQN on Pong, as a contestant: the pieces and the loop of `merlin train`, without a run folder.

Settings: those of sb3_contestant.py, and use_amp (bf16 where the processor has it).
"""

import atexit
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from windows import Report, Work, serve

from merlin.experience import memory
from merlin.experience.batch import Batch
from merlin.experiment import make_config
from merlin.machine import keep_freed_memory
from merlin.training.assembly import make_agent, make_env, make_source
from merlin.training.loop import train
from merlin.training.recorder import Recorder

ENDLESS = 10**9
SIZES = (100_000, 500_000, 1_000_000)
"""Observations of replays whose bytes are reported; 500,000 is merlin's default."""


def prepare(settings: dict[str, Any]) -> tuple[Work, Report]:
    keep_freed_memory()  # as the process of a run does
    num_envs = settings["num_envs"]
    torch.set_num_threads(settings["threads"])
    config = make_config(
        env_name="ALE/Pong-v5",
        agent_name="dqn",
        net_name="cnn",
        optimizer="adam",
        train_every=4,
        target_net_update_interval=1024,
        # Mostly greedy, so that actions cost what they cost in training.
        epsilon_decay_start=0,
        epsilon_step=1.0,
        epsilon_min=0.1,
        episodes=ENDLESS,
        device="cpu",
        **{key: settings[key] for key in ("num_envs", "threads", "batch_size", "memory_size", "learning_starts")},
        **{key: settings[key] for key in ("alpha", "use_amp", "seed")},
    )
    folder = Path(tempfile.mkdtemp(prefix="merlin-benchmark-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    env = make_env(config)
    source = make_source(config, env, folder)
    agent = make_agent(config, source.store.layout.state_shape, env.num_actions)
    recorder = Recorder(agent, source, ENDLESS)
    source.begin()

    update, spent = agent.update, {"update_seconds": 0.0, "updates": 0}

    def timed_update(batch: Batch) -> torch.Tensor:
        began = time.perf_counter()
        td_error = update(batch)
        spent["update_seconds"] += time.perf_counter() - began
        spent["updates"] += 1
        return td_error

    agent.update = timed_update

    def work(steps: int) -> Report:
        spent.update(update_seconds=0.0, updates=0)
        end = source.agent_steps + steps
        began = source.agent_steps
        train(agent, source, recorder, [], lambda: None, lambda: source.agent_steps >= end)
        return {**spent, "steps": source.agent_steps - began}

    work(settings["learning_starts"] + 64)
    # The first episode is played at random; only after it actions cost what they cost in training.
    while source.episodes_played == 0:
        work(64)
    assert source.epsilon < 0.2
    frame_bytes = int(np.prod(env.frame_shape)) * np.dtype(env.frame_dtype).itemsize
    facts = {
        # All observations that the ring holds, those kept for the last checkpoints included.
        "replay_entries": source.store.layout.rows * num_envs,
        "replay_bytes": source.store.layout.bytes,
        "bytes_per_frame_byte": {
            size: memory.replay_bytes(config.with_values(memory_size=size)) / (size * frame_bytes) for size in SIZES
        },
    }
    return work, facts


if __name__ == "__main__":
    serve(prepare)
