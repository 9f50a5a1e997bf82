"""The abstract base of all neural networks."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from merlin import config
from merlin.errors import MerlinError
from merlin.nets.heads import in_float32


class BaseNet(nn.Module, ABC):
    """A network that maps a batch of states to one number per action.

    A subclass gives a `name`, which experiment files use as `net_name`, and defines its layers in
    `_define_net`. Widths and the like that an experiment may set are declared in a nested class
    `Parameters(BaseNet.Parameters)` and read in `_define_net` as `self.settings`.

    All layers are drawn from torch's global generator while the network is constructed and never later.
    The networks that come with merlin keep PyTorch's own initialisation: weights and biases uniform in
    ±1/√fan_in, which is also what Torch7 gave the networks of Mnih et al. (2015).

    Attributes:
        state_shape: `(stack, height, width)` for images, `(d,)` for vectors.
        num_actions: the number of outputs.
        settings: the values of this network's `Parameters`.
        net: the layers.
    """

    name: ClassVar[str]

    class Parameters(config.Parameters):
        """What an experiment can set for a network of this class."""

    settings: Any  # a subclass with parameters of its own says `settings: Parameters`
    net: nn.Sequential

    def __init__(self, state_shape: tuple[int, ...], num_actions: int, parameters: Parameters | None = None) -> None:
        """Builds the layers and makes sure that they take the states and give `num_actions` outputs.

        Args:
            state_shape: shape of one state, without the batch.
            num_actions: number of outputs; an agent may ask for more than the environment has actions.
            parameters: values of this class's `Parameters`; None stands for their defaults.

        Raises:
            InputError: the network does not work on states of this shape.
            MerlinError: `_define_net` broke its contract; the message says how.
        """
        super().__init__()
        self.state_shape = tuple(state_shape)
        self.num_actions = num_actions
        self.settings = type(self).Parameters() if parameters is None else parameters
        self.net = self._define_net(self.state_shape, num_actions)
        self._check_layers()
        self._check_forward()

    @abstractmethod
    def _define_net(self, state_shape: tuple[Any, ...], num_actions: int) -> nn.Sequential:
        """Returns the layers, from states [B, *state_shape] to a last `Linear` with `num_actions` outputs.

        The shape's numbers are whole; `Any` is there so that a subclass may say `tuple[int, int, int]`.
        """

    def forward(self, state: Tensor) -> Tensor:
        """Maps float states [B, *state_shape] to float32 values [B, num_actions], see `in_float32`."""
        *hidden, head = self.net
        for layer in hidden:
            state = layer(state)
        return in_float32(head, state)

    def _check_layers(self) -> None:
        contract = (
            f"{type(self).__name__}._define_net must return an nn.Sequential "
            f"whose last layer is nn.Linear(…, num_actions), here with {self.num_actions} outputs; "
        )
        if not isinstance(self.net, nn.Sequential):
            raise MerlinError(f"{contract}it returned {type(self.net).__name__}.")
        if len(self.net) == 0:
            raise MerlinError(f"{contract}it returned an empty one.")
        last = self.net[-1]
        if not isinstance(last, nn.Linear):
            raise MerlinError(
                f"{contract}its last layer is {last}. Outputs are estimates of value and need no activation; "
                "agents that want another head replace that Linear."
            )
        if last.out_features != self.num_actions:
            raise MerlinError(f"{contract}its last layer has {last.out_features}.")

    def _check_forward(self) -> None:
        """Sends one state of zeros through the layers, which also completes lazy ones (`nn.LazyLinear`)."""
        modes = [(module, module.training) for module in self.net.modules()]
        self.net.eval()
        try:
            with torch.no_grad():
                shape = tuple(self.net(torch.zeros(1, *self.state_shape)).shape)
        except (RuntimeError, TypeError, ValueError) as error:
            raise MerlinError(
                f"The layers of {type(self).__name__} do not take states of shape {self.state_shape}: {error}"
            ) from error
        finally:
            for module, training in modes:
                module.training = training
        if shape != (1, self.num_actions):
            raise MerlinError(
                f"{type(self).__name__} turns a batch of one state of shape {self.state_shape} into {shape}, "
                f"not into {(1, self.num_actions)}. Is an nn.Flatten missing before its Linear layers?"
            )
