"""Neural networks, by the names that experiment files use as `net_name`.

To add a network, derive a class from `BaseNet`, give it a name and put it into the list below; or leave this
package alone and register it from a file of your own (`imports` in the experiment).
"""

from merlin.nets.base import BaseNet
from merlin.nets.cnn import CNN
from merlin.nets.conv_net import ConvNet
from merlin.nets.fc import FC
from merlin.nets.impala import ImpalaNet
from merlin.nets.linear_deep_net import LinearDeepNet
from merlin.nets.linear_flat_net import LinearFlatNet
from merlin.registry import Registry

net_registry = Registry(
    "net",
    [
        LinearFlatNet,
        LinearDeepNet,
        ConvNet,
        CNN,
        ImpalaNet,
        FC,
    ],
)

__all__ = ["CNN", "FC", "BaseNet", "ConvNet", "ImpalaNet", "LinearDeepNet", "LinearFlatNet", "net_registry"]
