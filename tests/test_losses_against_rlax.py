"""Losses against those of rlax (DeepMind), an independent witness, on random batches."""

import os

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from merlin import losses

os.environ.setdefault("JAX_PLATFORMS", "cpu")
rlax = pytest.importorskip("rlax")
jax = pytest.importorskip("jax")

BATCH, ACTIONS, ATOMS, TARGETS = 7, 4, 11, 5


@pytest.fixture(params=range(3))
def draw(request):
    """Draws standard normal float32 numbers of a shape."""
    generator = np.random.default_rng(request.param)
    return lambda *shape: generator.standard_normal(shape).astype(np.float32)


@pytest.fixture
def batch(draw):
    actions = np.arange(BATCH) % ACTIONS
    discount = np.where(np.arange(BATCH) == 3, 0, 0.9).astype(np.float32)
    return draw(BATCH, ACTIONS), actions, draw(BATCH), discount


def test_the_error_of_q_learning(batch, draw):
    q, action, reward, discount = batch
    next_q = draw(BATCH, ACTIONS)
    # rlax subtracts the estimate from the target.
    theirs = jax.vmap(rlax.q_learning)(q, action, reward, discount, next_q)
    q, action, reward, discount, next_q = map(torch.from_numpy, (q, action, reward, discount, next_q))
    target = losses.td_target(reward, discount, losses.max_bootstrap(next_q))
    assert_allclose(target - losses.action_value(q, action), theirs, atol=1e-5)


def test_the_error_of_double_q_learning(batch, draw):
    q, action, reward, discount = batch
    online, target_net = draw(BATCH, ACTIONS), draw(BATCH, ACTIONS)
    theirs = jax.vmap(rlax.double_q_learning)(q, action, reward, discount, target_net, online)
    q, action, reward, discount, online, target_net = map(
        torch.from_numpy, (q, action, reward, discount, online, target_net)
    )
    target = losses.td_target(reward, discount, losses.double_bootstrap(online, target_net))
    assert_allclose(target - losses.action_value(q, action), theirs, atol=1e-5)


@pytest.mark.parametrize("delta", [0.3, 1.0, 2.5])
def test_huber(draw, delta):
    error = draw(BATCH) * 3
    assert_allclose(losses.huber(torch.from_numpy(error), delta), rlax.huber_loss(error, delta), atol=1e-5)


def test_squared_is_twice_their_l2_loss(draw):
    error = draw(BATCH)
    assert_allclose(losses.squared(torch.from_numpy(error)), 2 * rlax.l2_loss(error), atol=1e-6)


@pytest.mark.parametrize("scale", [0.5, 4.0])
def test_the_categorical_projection(draw, scale):
    # Their projection wants its atoms sorted, as all of reward + discount × support are.
    atoms = np.sort(draw(BATCH, ATOMS) * scale, axis=1)
    probabilities = np.asarray(jax.nn.softmax(draw(BATCH, ATOMS)))
    support = np.linspace(-2, 2, ATOMS, dtype=np.float32)
    theirs = jax.vmap(rlax.categorical_l2_project, in_axes=(0, 0, None))(atoms, probabilities, support)
    ours = losses.categorical_projection(torch.from_numpy(atoms), torch.tensor(probabilities), -2.0, 2.0)
    assert_allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize("delta", [0.3, 1.0])
def test_quantile_huber_and_its_gradient(draw, delta):
    quantiles, target = draw(BATCH, ATOMS), draw(BATCH, TARGETS)
    fractions = np.tile((np.arange(ATOMS, dtype=np.float32) + 0.5) / ATOMS, (BATCH, 1))

    def theirs(quantiles):
        loss = jax.vmap(rlax.quantile_regression_loss, in_axes=(0, 0, 0, None))
        return loss(quantiles, fractions, target, delta)

    ours = torch.tensor(quantiles, requires_grad=True)
    loss = losses.quantile_huber(ours, torch.from_numpy(fractions), torch.from_numpy(target), delta)
    (gradient,) = torch.autograd.grad(loss.sum(), ours)
    assert_allclose(loss.detach(), theirs(quantiles), atol=1e-5)
    assert_allclose(gradient, jax.grad(lambda each: theirs(each).sum())(quantiles), atol=1e-5)
