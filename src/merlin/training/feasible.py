"""What can be known of runs before they start: that networks fit games, and that this machine can hold them."""

from collections.abc import Sequence

import torch

from merlin.agents import agent_registry
from merlin.config import Config
from merlin.errors import InputError, MerlinError
from merlin.experience import memory
from merlin.nets import net_registry
from merlin.training.assembly import find_device


def check_nets(configs: Sequence[Config]) -> None:
    """Builds each network once, without memory for its weights.

    Raises:
        InputError: a network does not take the states of its environment; lists all such variants.
    """
    faults: dict[str, None] = {}
    checked = set()
    for config in configs:
        values = config.values
        if not agent_registry.find(values["agent_name"]).cls.learns:
            continue
        net = net_registry.find(values["net_name"]).cls
        parameters = config.part(net.Parameters)
        layout = memory.env_layout(config)
        key = (net, parameters, memory.store_layout(config, layout).state_shape, layout.num_actions)
        if key in checked:
            continue
        checked.add(key)
        try:
            with torch.device("meta"):
                net(key[2], layout.num_actions, parameters)
        except MerlinError as error:
            faults[f"{values['experiment']}, variant {values['variant']}, net_name {values['net_name']}: {error}"] = (
                None
            )
    if faults:
        raise InputError("\n".join(faults))


def check(configs: Sequence[Config], at_once: int) -> None:
    """Makes sure, as far as that can be known, that runs can be trained on this machine.

    Args:
        configs: the runs that are about to start.
        at_once: how many of them run at one time.

    Raises:
        MerlinError: a network does not fit its environment, a device is missing, or the replays need more memory
            than there is.
    """
    check_nets(configs)
    for device in {config.values["device"] for config in configs}:
        find_device(device)
    memory.check(configs, at_once)
