"""What value-based agents minimise: pure batched functions, each after its paper.

B is the batch, A the number of actions, N and M numbers of atoms or quantiles. Every function checks the
shapes that it is given, on the host and without looking at values, so the checks cost nothing on the device
and are gone from compiled and captured code. Losses come back per sample, [B]; weighting and averaging them
is the agent's.
"""

from typing import NoReturn

import torch
import torch.nn.functional as F
from torch import Tensor


def action_value(q: Tensor, action: Tensor) -> Tensor:
    """Returns the value of the action that was taken: Q(s, a).

    Args:
        q: values of all actions [B, A].
        action: numbers of the actions [B], int64.

    Returns:
        [B]
    """
    if q.ndim != 2 or action.shape != q.shape[:1]:
        _refuse("q [B, A], action [B]", q, action)
    return q.gather(1, action.unsqueeze(1)).squeeze(1)


def td_target(reward: Tensor, discount: Tensor, bootstrap: Tensor) -> Tensor:
    """Returns what a value is drawn to: reward + discount × bootstrap, without gradient.

    Watkins and Dayan, "Q-learning" (1992); with rewards summed over n steps, Sutton (1988).

    Args:
        reward: (n-step) rewards [B].
        discount: γⁿ, and 0 where the game ended [B].
        bootstrap: value of the state that was reached [B].

    Returns:
        [B]
    """
    if reward.ndim != 1 or not reward.shape == discount.shape == bootstrap.shape:
        _refuse("reward [B], discount [B], bootstrap [B]", reward, discount, bootstrap)
    return (reward + discount * bootstrap).detach()


def max_bootstrap(next_q: Tensor) -> Tensor:
    """Returns the value of the best action: maxₐ Q(s', a).

    Mnih et al., "Human-level control through deep reinforcement learning" (2015), with `next_q` from the
    target network.

    Args:
        next_q: values [B, A].

    Returns:
        [B]
    """
    if next_q.ndim != 2:
        _refuse("next_q [B, A]", next_q)
    return next_q.amax(dim=1)


def double_bootstrap(next_q_online: Tensor, next_q_target: Tensor) -> Tensor:
    """Returns the target network's value of the action that the online network chooses.

    Van Hasselt, Guez and Silver, "Deep reinforcement learning with double Q-learning" (2016).

    Args:
        next_q_online: values of the network that learns [B, A].
        next_q_target: values of the target network [B, A].

    Returns:
        [B]
    """
    if next_q_online.ndim != 2 or next_q_online.shape != next_q_target.shape:
        _refuse("next_q_online [B, A], next_q_target [B, A]", next_q_online, next_q_target)
    return next_q_target.gather(1, next_q_online.argmax(dim=1, keepdim=True)).squeeze(1)


def huber(error: Tensor, delta: float = 1.0) -> Tensor:
    """Returns ½ error² up to |error| = delta and delta × (|error| − ½ delta) beyond.

    Huber, "Robust estimation of a location parameter" (1964). With delta 1 its gradient is the error
    clipped to [-1, 1], the error clipping of Mnih et al. (2015).

    Args:
        error: TD errors, of any shape.
        delta: where the parabola becomes a line, in units of the error; above 0.

    Returns:
        the shape of `error`
    """
    return F.huber_loss(error, torch.zeros_like(error), reduction="none", delta=delta)


def squared(error: Tensor) -> Tensor:
    """Returns error², without a factor ½; `alpha_cql` weighs `cql_penalty` against this.

    Args:
        error: TD errors, of any shape.

    Returns:
        the shape of `error`
    """
    return error.square()


def cql_penalty(q: Tensor, action: Tensor) -> Tensor:
    """Returns how far the values exceed that of the action in the data: log Σₐ exp Q(s, a) − Q(s, action).

    CQL(H) of Kumar et al., "Conservative Q-learning for offline reinforcement learning" (2020), equation 4.
    Never negative.

    Args:
        q: values of all actions [B, A].
        action: the actions in the data [B], int64.

    Returns:
        [B]
    """
    return q.logsumexp(dim=1) - action_value(q, action)


def categorical_projection(atoms: Tensor, probabilities: Tensor, v_min: float, v_max: float) -> Tensor:
    """Moves the mass of a distribution to the N evenly spaced atoms from v_min to v_max.

    The projection Φ of Bellemare, Dabney and Munos, "A distributional perspective on reinforcement learning"
    (2017), equation 7: mass between two atoms is shared among them by nearness, mass outside goes to the
    outermost atom. Computed as written there, as a sum over all pairs of atoms, and not by adding to floor
    and ceiling as in the paper's Algorithm 1: mass that lies exactly on an atom cannot get lost, and the
    order of the sum is fixed on every device.

    Args:
        atoms: where the mass lies, such as reward + discount × support [B, N].
        probabilities: how much lies there [B, N].
        v_min: the lowest atom, in units of the return.
        v_max: the highest atom, above v_min.

    Returns:
        probabilities of the N atoms [B, N]
    """
    if atoms.ndim != 2 or atoms.shape[1] < 2 or atoms.shape != probabilities.shape:
        _refuse("atoms [B, N], probabilities [B, N], N at least 2", atoms, probabilities)
    if not v_min < v_max:
        raise ValueError(f"v_min must be below v_max, got v_min {v_min} and v_max {v_max}")
    last = atoms.shape[1] - 1
    place = (atoms.clamp(v_min, v_max) - v_min) * (last / (v_max - v_min))  # 0 at v_min, N − 1 at v_max
    index = torch.arange(last + 1, dtype=place.dtype, device=place.device)
    nearness = (1 - (place.clamp(0, last).unsqueeze(2) - index).abs()).clamp(min=0)  # [B, from, to]
    return (probabilities.unsqueeze(2) * nearness).sum(dim=1)


def quantile_huber(quantiles: Tensor, fractions: Tensor, target: Tensor, delta: float = 1.0) -> Tensor:
    """Returns the quantile regression loss, summed over the quantiles and averaged over the target's.

    Dabney et al., "Distributional reinforcement learning with quantile regression" (2018), equations 9 and
    10: the Huber loss of each difference, not divided by delta, times τ where the target lies above the
    quantile and 1 − τ where it lies below.

    Args:
        quantiles: estimates, with gradient [B, N].
        fractions: τ, the share of the mass below each quantile, in (0, 1) [B, N] or [N].
        target: samples or quantiles of the target distribution [B, M]; no gradient flows into it.
        delta: where the parabola becomes a line, in units of the return; above 0.

    Returns:
        [B]
    """
    if (
        quantiles.ndim != 2
        or target.ndim != 2
        or target.shape[0] != quantiles.shape[0]
        or fractions.shape not in (quantiles.shape, quantiles.shape[1:])
    ):
        _refuse("quantiles [B, N], fractions [B, N] or [N], target [B, M]", quantiles, fractions, target)
    error = target.detach().unsqueeze(1) - quantiles.unsqueeze(2)  # [B, N, M]
    weight = (fractions.unsqueeze(-1) - (error.detach() < 0).to(error.dtype)).abs()
    return (weight * huber(error, delta)).mean(dim=2).sum(dim=1)


def _refuse(expected: str, *given: Tensor) -> NoReturn:
    shapes = ", ".join(str(list(tensor.shape)) for tensor in given)
    raise ValueError(f"expected {expected}; got {shapes}")
