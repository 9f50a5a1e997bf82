"""Stable-Baselines3's DQN on Pong, as a contestant: its own environments, wrappers, buffer, net and loop.

Settings: name, num_envs, threads, batch_size, memory_size (transitions), learning_starts, alpha, seed.
One update per four agent steps: with one environment `train_freq=4, gradient_steps=1`; with n ≥ 4, whose one
vector step is n agent steps, `train_freq=1, gradient_steps=n/4`.
"""

from typing import Any

import ale_py
import gymnasium
import torch
from stable_baselines3 import DQN
from stable_baselines3.common.env_util import make_atari_env
from stable_baselines3.common.vec_env import VecFrameStack
from windows import Report, Work, serve

AGENT_STEPS_PER_UPDATE = 4


def prepare(settings: dict[str, Any]) -> tuple[Work, Report]:
    torch.set_num_threads(settings["threads"])
    gymnasium.register_envs(ale_py)
    num_envs = settings["num_envs"]
    if num_envs != 1 and num_envs % AGENT_STEPS_PER_UPDATE:
        raise ValueError(f"num_envs must be 1 or a multiple of {AGENT_STEPS_PER_UPDATE}, not {num_envs}")

    # The wrapper skips the frames, so the emulator must not; sticky actions 0.25 are the default of v5.
    env = make_atari_env(
        "ALE/Pong-v5",
        n_envs=num_envs,
        seed=settings["seed"],
        env_kwargs={"frameskip": 1},
        wrapper_kwargs={"frame_skip": 4, "terminal_on_life_loss": False},
    )
    env = VecFrameStack(env, n_stack=4)
    model = DQN(
        "CnnPolicy",
        env,
        learning_rate=settings["alpha"],
        buffer_size=settings["memory_size"],
        learning_starts=settings["learning_starts"],
        batch_size=settings["batch_size"],
        train_freq=AGENT_STEPS_PER_UPDATE if num_envs == 1 else 1,
        gradient_steps=1 if num_envs == 1 else num_envs // AGENT_STEPS_PER_UPDATE,
        target_update_interval=4096,
        exploration_initial_eps=0.1,
        exploration_final_eps=0.1,
        seed=settings["seed"],
        device="cpu",
    )

    def work(steps: int) -> Report:
        updates = model._n_updates
        model.learn(total_timesteps=steps, reset_num_timesteps=False)
        return {"updates": model._n_updates - updates}

    work(settings["learning_starts"] + 64)
    buffer = model.replay_buffer
    assert buffer is not None
    replay_bytes = sum(array.nbytes for array in vars(buffer).values() if hasattr(array, "nbytes"))
    return work, {"replay_bytes": replay_bytes}


if __name__ == "__main__":
    serve(prepare)
