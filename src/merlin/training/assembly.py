"""The parts of a run, made from its settings."""

from pathlib import Path

import torch

from merlin import seeding
from merlin.agents import BaseAgent, Surroundings, agent_registry
from merlin.config import Config, RunParameters
from merlin.envs import BaseEnv, env_registry
from merlin.errors import MerlinError
from merlin.experience import memory
from merlin.experience.frame_store import FrameStore
from merlin.experience.live import LiveSource
from merlin.experience.parameters import ExplorationParameters, ReplayParameters
from merlin.experience.samplers import PrioritizedSampler, Sampler, UniformSampler
from merlin.nets import BaseNet, net_registry


def make_env(config: Config) -> BaseEnv:
    """Returns the run's environment, all its copies closed over the run's own seeds."""
    seed, run = config.values["seed"], config.values["run"]
    cls = env_registry.find(config.values["env_name"]).cls
    parameters = config.part(cls.Parameters)
    threads = min(parameters.num_envs, config.values["threads"] or 1)
    # On a processor the learner needs all of the run's threads itself; games that step beside it would only hold it up.
    beside = find_device(config.values["device"]).type == "cuda"
    return cls(parameters, lambda env, episode: seeding.integer(seed, run, "env", env, episode), threads, beside)


def make_agent(config: Config, state_shape: tuple[int, ...], num_actions: int) -> BaseAgent:
    """Returns the run's agent, untrained.

    Raises:
        MerlinError: CUDA is asked for and not there, or the net does not fit the environment's states.
    """
    seed, run = config.values["seed"], config.values["run"]
    cls = agent_registry.find(config.values["agent_name"]).cls

    def make_net(num_outputs: int) -> BaseNet:
        net = net_registry.find(config.values["net_name"]).cls
        return net(state_shape, num_outputs, config.part(net.Parameters))

    surroundings = Surroundings(
        state_shape=state_shape,
        num_actions=num_actions,
        device=find_device(config.values["device"]),
        make_net=make_net,
        generator=seeding.generator(seed, run, "agent"),
    )
    # PyTorch initialises networks from its global generator: it is set for this moment, and then as it was before.
    with torch.random.fork_rng():
        torch.manual_seed(seeding.integer(seed, run, "net"))
        return cls(config.part(cls.Parameters), surroundings)


def make_source(config: Config, env: BaseEnv, replay_folder: Path | None, resume: bool = False) -> LiveSource:
    """Returns the run's experience; its frames lie in `replay_folder`, or in plain memory where that is None.

    With `resume` the frames that an earlier process left there are taken up.
    """
    seed, run = config.values["seed"], config.values["run"]
    layout = memory.store_layout(config, env.layout)
    store = FrameStore(layout, replay_folder, find_device(config.values["device"]), resume)
    parts = agent_registry.find(config.values["agent_name"]).cls.parts()
    replay = config.part(ReplayParameters) if ReplayParameters in parts else None
    exploration = config.part(ExplorationParameters) if ExplorationParameters in parts else None
    sampler: Sampler | None = None
    if replay is not None:
        generator = seeding.generator(seed, run, "sampler")
        if replay.sampling == "prioritized":
            sampler = PrioritizedSampler(store, replay.n_step, replay.priority_exponent, generator)
        else:
            sampler = UniformSampler(store, replay.n_step, generator)
    episodes = config.part(RunParameters).episodes
    return LiveSource(env, store, sampler, replay, exploration, episodes, seeding.generator(seed, run, "exploration"))


def find_device(name: str) -> torch.device:
    """Returns the device that `auto`, `cpu` or `cuda` stands for here."""
    there = torch.cuda.is_available()
    if name == "cuda" and not there:
        raise MerlinError("device is cuda, but there is no CUDA device here. Use `device: auto` or `device: cpu`.")
    return torch.device("cuda" if there and name != "cpu" else "cpu")
