"""Losses against numbers worked out by hand. The sizes of batch, actions and atoms differ throughout."""

import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import tensor
from torch.testing import assert_close

from merlin import losses

Q = tensor([[1.0, 2.0, 3.0], [6.0, 5.0, 4.0]])  # 2 states, 3 actions
LN2, LN3 = 0.693147181, 1.098612289


def test_action_value_takes_one_action_of_each_state():
    assert losses.action_value(Q, tensor([2, 1])).tolist() == [3.0, 5.0]


def test_td_target_bootstraps_only_where_there_is_a_discount():
    target = losses.td_target(
        reward=tensor([1.0, -2.0, 0.5]),
        discount=tensor([0.5, 0.0, 0.25]),
        bootstrap=tensor([4.0, 100.0, -2.0]),
    )
    assert target.tolist() == [3.0, -2.0, 0.0]


def test_td_target_lets_no_gradient_through():
    bootstrap = torch.ones(3, requires_grad=True)
    assert not losses.td_target(torch.ones(3), torch.ones(3), bootstrap).requires_grad


def test_max_bootstrap():
    assert losses.max_bootstrap(Q).tolist() == [3.0, 6.0]


def test_double_bootstrap_values_the_online_choice_with_the_target_network():
    online = tensor([[0.0, 9.0, 1.0], [2.0, 1.0, 0.0]])
    assert losses.double_bootstrap(online, Q).tolist() == [2.0, 6.0]


def test_huber_is_a_parabola_with_straight_arms():
    error = tensor([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 4.0])
    assert losses.huber(error).tolist() == [2.5, 0.5, 0.125, 0.0, 0.125, 0.5, 3.5]
    assert losses.huber(error, delta=2.0).tolist() == [4.0, 0.5, 0.125, 0.0, 0.125, 0.5, 6.0]


def test_the_gradient_of_huber_is_the_clipped_error():
    error = tensor([-3.0, -1.0, -0.5, 0.0, 0.5, 4.0], requires_grad=True)
    (gradient,) = torch.autograd.grad(losses.huber(error).sum(), error)
    assert gradient.tolist() == [-1.0, -1.0, -0.5, 0.0, 0.5, 1.0]


def test_squared_has_no_half():
    assert losses.squared(tensor([-3.0, 0.5])).tolist() == [9.0, 0.25]


def test_cql_penalty_is_the_logarithm_of_the_softmax_turned_round():
    # Softmax of (0, ln 2, ln 3) is (1/6, 2/6, 3/6); of equal values it is 1/3 each.
    q = tensor([[0.0, LN2, LN3], [5.0, 5.0, 5.0], [0.0, LN2, LN3], [1000.0, 0.0, 0.0]])
    penalty = losses.cql_penalty(q, tensor([0, 1, 2, 0]))
    assert_close(penalty, tensor([LN2 + LN3, LN3, LN2, 0.0]))


def test_the_gradient_of_the_cql_penalty_lowers_all_but_the_action_in_the_data():
    q = tensor([[0.0, LN2, LN3]], requires_grad=True)
    losses.cql_penalty(q, tensor([1])).sum().backward()
    assert_close(q.grad, tensor([[1 / 6, 2 / 6 - 1, 3 / 6]]))


def test_projection_of_hand_worked_masses():
    # Five atoms: -2, -1, 0, 1, 2. Three distributions.
    atoms = tensor(
        [
            [-2.0, -1.0, 0.0, 1.0, 2.0],  # on the atoms: nothing moves
            [-0.75, -0.25, 0.25, 0.75, 1.25],  # between them: shared by nearness
            [-9.0, -2.0, 1.5, 2.0, 7.0],  # outside: to the ends
        ]
    )
    probabilities = tensor([[0.1, 0.2, 0.3, 0.25, 0.15], [0.2] * 5, [0.1, 0.2, 0.4, 0.2, 0.1]])
    assert_close(
        losses.categorical_projection(atoms, probabilities, -2.0, 2.0),
        tensor(
            [
                [0.1, 0.2, 0.3, 0.25, 0.15],
                [0.0, 0.15 + 0.05, 0.05 + 0.15 + 0.15 + 0.05, 0.05 + 0.15 + 0.15, 0.05],
                [0.3, 0.0, 0.0, 0.2, 0.2 + 0.2 + 0.1],
            ]
        ),
    )


@pytest.mark.parametrize(("reward", "atom"), [(-10.0, 0), (0.0, 25), (10.0, 50), (3.2, 33), (99.0, 50)])
def test_a_terminal_return_on_an_atom_keeps_all_of_its_mass(reward, atom):
    # The support of C51: 51 atoms from -10 to 10, 0.4 apart. With discount 0 all mass lies in one place.
    probabilities = torch.rand(2, 51, generator=torch.Generator().manual_seed(0)).softmax(dim=1)
    projected = losses.categorical_projection(torch.full((2, 51), reward), probabilities, -10.0, 10.0)
    expected = torch.zeros(2, 51)
    expected[:, atom] = 1.0
    assert_close(projected, expected, atol=1e-5, rtol=0)


@given(
    num_atoms=st.integers(2, 60),
    v_min=st.floats(-100, 99),
    width=st.floats(0.01, 300),
    reward=st.floats(-1000, 1000),
    discount=st.floats(0, 1),
    seed=st.integers(0, 2**31),
)
@settings(deadline=None, max_examples=60)
def test_projection_conserves_mass_and_the_mean_of_what_lies_inside(num_atoms, v_min, width, reward, discount, seed):
    generator = torch.Generator().manual_seed(seed)
    probabilities = torch.rand(3, num_atoms, generator=generator, dtype=torch.float64).softmax(dim=1)
    support = torch.linspace(v_min, v_min + width, num_atoms, dtype=torch.float64)
    atoms = (reward + discount * support).expand(3, -1)
    projected = losses.categorical_projection(atoms, probabilities, v_min, v_min + width)
    assert (projected >= 0).all()
    assert_close(projected.sum(dim=1), torch.ones(3, dtype=torch.float64))
    inside = (probabilities * atoms.clamp(v_min, v_min + width)).sum(dim=1)
    assert_close((projected * support).sum(dim=1), inside, atol=1e-8, rtol=1e-8)


def test_quantile_huber_of_hand_worked_pairs():
    # One state, two quantiles at τ = 0.25 and 0.75, three targets. Errors target − quantile:
    #   quantile 0: 1, -2, 0.5 -> Huber 0.5, 1.5, 0.125, weights 0.25, 0.75, 0.25 -> 0.125 + 1.125 + 0.03125
    #   quantile 1: 0, -3, -0.5 -> Huber 0, 2.5, 0.125, weights 0.75, 0.25, 0.25 -> 0.625 + 0.03125
    loss = losses.quantile_huber(
        quantiles=tensor([[0.0, 1.0]]), fractions=tensor([0.25, 0.75]), target=tensor([[1.0, -2.0, 0.5]])
    )
    assert_close(loss, tensor([(1.28125 + 0.65625) / 3]))


def test_quantile_huber_takes_fractions_of_each_state():
    quantiles, target = torch.zeros(2, 3), torch.ones(2, 4)
    fractions = tensor([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    assert_close(losses.quantile_huber(quantiles, fractions, target), tensor([0.3, 0.75]))


def test_quantile_huber_finds_the_quantiles_of_its_target():
    fractions = tensor([0.1, 0.5, 0.9])
    target = torch.arange(0.5, 100).unsqueeze(0)
    quantiles = torch.full((1, 3), 50.0, requires_grad=True)
    optimizer = torch.optim.SGD([quantiles], lr=20.0)
    for _ in range(200):
        optimizer.zero_grad()
        losses.quantile_huber(quantiles, fractions, target, delta=0.01).sum().div(0.01).backward()
        optimizer.step()
    assert_close(quantiles.detach(), tensor([[10.0, 50.0, 90.0]]), atol=1.0, rtol=0)


def test_no_gradient_flows_into_the_target_of_quantile_huber():
    target = torch.ones(2, 4, requires_grad=True)
    quantiles = torch.zeros(2, 3, requires_grad=True)
    losses.quantile_huber(quantiles, torch.full((3,), 0.5), target).sum().backward()
    assert target.grad is None
    assert quantiles.grad is not None


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (losses.action_value, [(2, 3), (3,)]),
        (losses.action_value, [(2,), (2,)]),
        (losses.action_value, [(2, 3), (2, 1)]),
        (losses.td_target, [(4,), (4,), (4, 1)]),
        (losses.td_target, [(4, 1), (4, 1), (4, 1)]),
        (losses.td_target, [(4,), (1,), (4,)]),
        (losses.max_bootstrap, [(4,)]),
        (losses.double_bootstrap, [(4, 3), (4, 2)]),
        (losses.double_bootstrap, [(4,), (4,)]),
        (losses.cql_penalty, [(4, 3), (3,)]),
        (losses.categorical_projection, [(4, 3), (4, 2), -1.0, 1.0]),
        (losses.categorical_projection, [(3,), (3,), -1.0, 1.0]),
        (losses.categorical_projection, [(4, 1), (4, 1), -1.0, 1.0]),
        (losses.quantile_huber, [(4, 3), (2,), (4, 5)]),
        (losses.quantile_huber, [(4, 3), (3,), (2, 5)]),
        (losses.quantile_huber, [(4, 3), (3,), (4,)]),
        (losses.quantile_huber, [(4,), (4,), (4, 5)]),
    ],
)
def test_wrong_shapes_are_refused_with_all_shapes_named(function, shapes):
    arguments = [torch.zeros(each) if isinstance(each, tuple) else each for each in shapes]
    named = ", ".join(str(list(each)) for each in shapes if isinstance(each, tuple))
    with pytest.raises(ValueError, match=f"expected .*; got {re.escape(named)}$"):
        function(*arguments)


def test_an_empty_support_is_refused():
    with pytest.raises(ValueError, match=r"v_min 1\.0 and v_max 1\.0"):
        losses.categorical_projection(torch.zeros(2, 3), torch.zeros(2, 3), 1.0, 1.0)


def test_all_losses_are_captured_whole_by_the_compiler():
    """`fullgraph` refuses any break, so none of the checks looks at a value or leaves the graph."""
    generator = torch.Generator().manual_seed(3)
    q, atoms = torch.randn(2, 3, generator=generator), torch.randn(2, 5, generator=generator)
    reward, action = torch.randn(2, generator=generator), tensor([2, 0])

    def everything(q, atoms, reward, action):
        target = losses.td_target(reward, reward, losses.double_bootstrap(q, q) + losses.max_bootstrap(q))
        error = losses.action_value(q, action) - target
        td = losses.huber(error) + losses.squared(error) + losses.cql_penalty(q, action)
        projected = losses.categorical_projection(atoms, atoms.softmax(dim=1), -1.0, 1.0)
        return td + projected.square().sum(dim=1) + losses.quantile_huber(q, q.softmax(dim=1), atoms)

    compiled = torch.compile(everything, fullgraph=True, backend="eager")
    assert_close(compiled(q, atoms, reward, action), everything(q, atoms, reward, action))
