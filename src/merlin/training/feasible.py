"""What can be known of runs before they start: that games and networks exist and fit, and that this machine can hold
them."""

from collections.abc import Iterator, Sequence
from functools import cache

import torch

from merlin.agents import agent_registry
from merlin.config import Config
from merlin.errors import MerlinError
from merlin.experience import memory
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
    if agent_registry.find(values["agent_name"]).cls.learns:
        net = net_registry.find(values["net_name"]).cls
        state_shape = memory.store_layout(config, env).state_shape
        if fault := _net_fault(net, config.part(net.Parameters), state_shape, env.num_actions):
            yield "net_name", f"net_name: {fault}"


@cache
def _net_fault(
    net: type[BaseNet], parameters: BaseNet.Parameters, state_shape: tuple[int, ...], num_actions: int
) -> str | None:
    try:
        with torch.device("meta"):
            net(state_shape, num_actions, parameters)
    except MerlinError as error:
        return str(error).removeprefix("net_name: ")
    return None


def check(configs: Sequence[Config], at_once: int) -> None:
    """Makes sure, as far as that can be known, that runs can be trained on this machine.

    Args:
        configs: the runs that are about to start.
        at_once: how many of them run at one time.

    Raises:
        MerlinError: a device is missing, or the replays need more memory than there is.
    """
    for device in {config.values["device"] for config in configs}:
        find_device(device)
    memory.check(configs, at_once)
