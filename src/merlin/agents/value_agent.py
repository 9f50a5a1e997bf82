"""The base of all agents that learn the values of actions: everything but the loss."""

import copy
import math
from abc import abstractmethod
from typing import Any, Literal, NamedTuple, final

import numpy as np
import torch
from pydantic import Field
from torch import Tensor, nn

from merlin import losses
from merlin.agents.base import BaseAgent, Surroundings, Totals
from merlin.agents.captured import capture
from merlin.agents.precision import autocast_type
from merlin.errors import MerlinError
from merlin.experience.batch import Batch
from merlin.nets.heads import with_dueling_head


class Loss(NamedTuple):
    """What an algorithm makes of a batch.

    Attributes:
        per_sample: [B] what is to be minimised, before importance weights.
        td_error: [B] the TD errors, for priorities; without gradient.
        q: [B, A] the values of all actions in the batch's observations, with gradient.
    """

    per_sample: Tensor
    td_error: Tensor
    q: Tensor


class ValueAgent(BaseAgent):
    """Learns the values of actions; an algorithm supplies `_loss`.

    Importance weights, the conservative penalty, mixed precision, gradient clipping, the optimizer's step and the
    target network stand here once, and no algorithm changes them.
    """

    learns = True

    class Parameters(BaseAgent.Parameters):
        """What an experiment can set for any value-based agent."""

        alpha: float = Field(5e-6, gt=0, description="Learning rate of the optimizer.")
        optimizer: Literal["rmsprop", "adam"] = Field("rmsprop", description="What turns gradients into steps.")
        optimizer_epsilon: float = Field(1e-8, gt=0, description="Added to the optimizer's denominator.")
        max_gradient_norm: float | None = Field(
            1.0, gt=0, description="The gradient's norm is clipped to this; null clips nothing."
        )
        td_loss: Literal["huber", "squared"] = Field("huber", description="What is made of a TD error.")
        target_net: bool = Field(True, description="Whether targets come from an older copy of the network.")
        target_net_update_interval: int = Field(1024, ge=1, description="Updates after which that copy is taken anew.")
        double: bool = Field(
            False,
            description="Whether the network that learns chooses the action whose value is trusted (double Q).",
        )
        dueling: bool = Field(False, description="Whether value and advantage are estimated apart (dueling head).")
        alpha_cql: float = Field(0.0, ge=0, description="Weight of the conservative penalty (CQL); 0 for none.")
        use_amp: bool = Field(
            True,
            description="Mixed precision (bf16), on CUDA and on processors that have instructions for it.",
        )

    def __init__(self, parameters: Parameters, surroundings: Surroundings) -> None:
        self.parameters = parameters
        self.num_actions = surroundings.num_actions
        self._device = surroundings.device
        self._online = self._make_network(surroundings).to(self._device)
        self._target = copy.deepcopy(self._online).eval() if parameters.target_net else self._online
        self._weights = list(self._online.parameters())
        # Most networks do the same whether they learn or act; those that may not are switched.
        self._has_modes = any(not _is_plain(module) for module in self._online.modules())
        self._autocast = autocast_type(self._device) if parameters.use_amp else None
        self._optimizer = _make_optimizer(parameters, self._weights, self._device)
        self._learn = capture(self._learn_from, self._device)
        self._updates = 0
        self._sums = torch.zeros(2, dtype=torch.float64, device=self._device)

    @abstractmethod
    def _loss(self, batch: Batch) -> Loss:
        """Returns the loss of a batch whose observations are floats; runs under autocast where that is on."""

    @final
    def act(self, state: Tensor) -> np.ndarray:
        # In float32: for few states at a time, turning all weights into bfloat16 costs more than it saves.
        values = self._evaluate(self._online, _to_float(state.to(self._device), torch.float32))
        return values.argmax(dim=1).cpu().numpy()

    @final
    def update(self, batch: Batch) -> Tensor:
        """See `BaseAgent.update`.

        Raises:
            MerlinError: the loss is not a finite number; says in which update, and what was not finite.
        """
        batch = batch.to(self._device)
        loss, td_error = self._learn(batch)
        self._updates += 1
        if self._device.type == "cpu" and not math.isfinite(loss.item()):
            raise MerlinError(self._what_is_not_finite(batch))
        if self._target is not self._online and self._updates % self.parameters.target_net_update_interval == 0:
            self._refresh_target()
        return td_error

    @final
    def _evaluate(self, network: nn.Module, state: Tensor) -> Tensor:
        """Returns a network's outputs for float states as it gives them in use, without gradient.

        For actions and targets: batch norm uses its running statistics and leaves them alone, dropout drops nothing.
        """
        if self._has_modes:
            network.eval()
        with torch.no_grad():
            outputs = network(state)
        if self._has_modes:
            network.train(network is self._online)
        return outputs

    def _learn_from(self, batch: Batch) -> tuple[Tensor, Tensor]:
        with self._precision():
            kind = self._autocast or torch.float32
            per_sample, td_error, q = self._loss(
                batch._replace(
                    observation=_to_float(batch.observation, kind),
                    next_observation=_to_float(batch.next_observation, kind),
                )
            )
            if self.parameters.alpha_cql:
                per_sample = per_sample + self.parameters.alpha_cql * losses.cql_penalty(q, batch.action)
        loss = (batch.weight * per_sample).mean()
        self._optimizer.zero_grad()
        loss.backward()
        if self.parameters.max_gradient_norm is not None:
            nn.utils.clip_grad_norm_(self._weights, self.parameters.max_gradient_norm, foreach=True)
        self._optimizer.step()
        loss = loss.detach()
        self._sums += torch.stack([loss, losses.action_value(q.detach(), batch.action).mean()])
        return loss, td_error.detach().abs()

    @final
    def totals(self) -> Totals:
        loss, q = self._sums.tolist()
        if not math.isfinite(loss):
            raise MerlinError(f"The loss is not a finite number after {self._updates} updates.")
        return Totals(self._updates, loss, q)

    @final
    def weights(self) -> dict[str, Tensor]:
        return self._online.state_dict()

    @final
    def load_weights(self, weights: dict[str, Tensor]) -> None:
        self._online.load_state_dict(weights)

    @final
    def state_dict(self) -> dict[str, Any]:
        return {
            "online": self._online.state_dict(),
            "target": self._target.state_dict() if self._target is not self._online else None,
            "optimizer": self._optimizer.state_dict(),
            "updates": self._updates,
            "sums": self._sums,
        }

    @final
    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._online.load_state_dict(state["online"])
        if self._target is not self._online:
            self._target.load_state_dict(state["target"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._updates = state["updates"]
        self._sums.copy_(state["sums"])

    def _make_network(self, surroundings: Surroundings) -> nn.Module:
        net = surroundings.make_net(self.num_actions)
        return with_dueling_head(net.net, self.num_actions) if self.parameters.dueling else net

    def _refresh_target(self) -> None:
        with torch.no_grad():
            for old, new in zip(self._target.state_dict().values(), self._online.state_dict().values(), strict=True):
                old.copy_(new)

    def _precision(self) -> torch.autocast:
        return torch.autocast(self._device.type, self._autocast, enabled=self._autocast is not None)

    def _what_is_not_finite(self, batch: Batch) -> str:
        where = f"update {self._updates}: the loss is not a finite number; "
        for name, tensor in batch._asdict().items():
            if not torch.isfinite(tensor).all():
                return f"{where}its source is the batch: `{name}` holds one that is not."
        return (
            f"{where}the batch is sound, so the network's weights have grown without bound. "
            f"Lower alpha (now {self.parameters.alpha:g}) or max_gradient_norm "
            f"(now {self.parameters.max_gradient_norm})."
        )


def _to_float(state: Tensor, kind: torch.dtype) -> Tensor:
    """Returns images in [0, 1], in numbers of this kind; vectors stay as they are."""
    return state.to(kind).mul_(1 / 255) if state.dtype == torch.uint8 else state


_PLAIN = (
    nn.Linear,
    nn.Conv2d,
    nn.MaxPool2d,
    nn.AvgPool2d,
    nn.ZeroPad2d,
    nn.Flatten,
    nn.Sequential,
    nn.ModuleList,
    nn.ReLU,
    nn.Tanh,
    nn.GELU,
    nn.SiLU,
    nn.LeakyReLU,
    nn.LayerNorm,
)


def _is_plain(module: nn.Module) -> bool:
    """Returns whether a module is known to do the same in training as in use."""
    return type(module) in _PLAIN or type(module).__module__.startswith("merlin.nets.")


def _make_optimizer(
    parameters: ValueAgent.Parameters, weights: list[nn.Parameter], device: torch.device
) -> torch.optim.Optimizer:
    cuda = device.type == "cuda"
    if parameters.optimizer == "adam":
        return torch.optim.Adam(
            weights, parameters.alpha, eps=parameters.optimizer_epsilon, fused=True, capturable=cuda
        )
    return torch.optim.RMSprop(
        weights, parameters.alpha, eps=parameters.optimizer_epsilon, foreach=True, capturable=cuda
    )
