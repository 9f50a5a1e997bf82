"""What can be known of runs before they start: that games and networks exist and fit, and that this machine can hold
them."""

from collections.abc import Iterator, Sequence
from functools import cache

import torch

from merlin.agents import agent_registry
from merlin.config import Config
from merlin.envs.base import Layout
from merlin.errors import MerlinError
from merlin.experience import memory
from merlin.machine import free_memory
from merlin.nets import BaseNet, net_registry
from merlin.training.assembly import find_device


def misfits(config: Config) -> Iterator[tuple[str, str]]:
    """Yields each parameter of a run that cannot mean what it says, and why: no such game, a net that does not fit it.

    The environment is opened once, and the network is built once without memory for its weights.
    """
    values = config.values
    try:
        env = memory.env_layout(config)
    except MerlinError as error:
        yield "env_name", f"env_name: {values['env_name']}: {error}"
        return
    try:
        _network(config, env)
    except MerlinError as error:
        yield "net_name", f"net_name: {str(error).removeprefix('net_name: ')}"


def _network(config: Config, env: Layout) -> BaseNet | None:
    """Returns the run's network without memory for its weights; None if its agent does not learn."""
    if not agent_registry.find(config.values["agent_name"]).cls.learns:
        return None
    net = net_registry.find(config.values["net_name"]).cls
    state_shape = memory.store_layout(config, env).state_shape
    return _built(net, config.part(net.Parameters), state_shape, env.num_actions)


@cache
def _built(
    net: type[BaseNet], parameters: BaseNet.Parameters, state_shape: tuple[int, ...], num_actions: int
) -> BaseNet:
    try:
        with torch.device("meta"):
            return net(state_shape, num_actions, parameters)
    except RuntimeError as error:  # a layer of more numbers than can be counted
        raise MerlinError(f"{net.name} cannot be built with {parameters}: {error}") from error


def _check_weights(config: Config) -> None:
    """Makes sure that the weights fit into memory with their gradients, their older copy and what Adam keeps."""
    network = _network(config, memory.env_layout(config))
    count = sum(weight.numel() for weight in network.parameters()) if network else 0
    needed, free = 5 * 4 * count, free_memory()
    if needed > free:
        raise MerlinError(
            f"{config.values['experiment']}, variant {config.values['variant']}: net_name {config.values['net_name']} "
            f"has {count:,} weights here; to train it takes {needed / 2**20:,.0f} MiB of memory, but only "
            f"{free / 2**20:,.0f} MiB are free. Make the network smaller."
        )


def check(configs: Sequence[Config], at_once: int) -> None:
    """Makes sure, as far as that can be known, that runs can be trained on this machine.

    Args:
        configs: the runs that are about to start.
        at_once: how many of them run at one time.

    Raises:
        MerlinError: a device is missing, or a network or the replays need more memory than there is.
    """
    for config in {(config.values["experiment"], config.values["variant"]): config for config in configs}.values():
        _check_weights(config)
    for device in {config.values["device"] for config in configs}:
        find_device(device)
    memory.check(configs, at_once)
