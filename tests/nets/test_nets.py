"""One battery over every registered network."""

import pytest
import torch
from torch import nn

from merlin.errors import InputError
from merlin.nets import BaseNet, net_registry
from merlin.nets.heads import with_dueling_head
from merlin.nets.layers import VECTOR_NETS

NAMES = net_registry.names()
IMAGES = [(4, 84, 84), (1, 84, 84), (4, 64, 64), (2, 57, 43), (1, 36, 36)]
VECTORS = [(4,), (1,)]


def make(name: str, state_shape: tuple[int, ...], num_actions: int = 5) -> BaseNet:
    return net_registry.find(name).cls(state_shape, num_actions)


def fits(name: str, state_shape: tuple[int, ...]) -> bool:
    return len(state_shape) == 3 or name in VECTOR_NETS


CASES = [(name, shape) for name in NAMES for shape in IMAGES + VECTORS if fits(name, shape)]


def test_the_networks_of_the_mission_are_registered():
    assert NAMES == ["cnn", "conv_net", "fc", "impala", "linear_deep_net", "linear_flat_net"]


@pytest.mark.parametrize(("name", "state_shape"), CASES)
def test_states_become_one_number_per_action(name, state_shape):
    net = make(name, state_shape)
    for batch in (1, 3):
        q = net.eval()(torch.rand(batch, *state_shape))
        assert q.shape == (batch, 5)
        assert q.dtype == torch.float32


@pytest.mark.parametrize("side", [36, 48, 57, 64, 84])
@pytest.mark.parametrize("name", sorted(set(NAMES) - set(VECTOR_NETS)))
def test_every_pixel_counts(name, side):
    """In Pong the agent's own paddle is in the last two columns."""
    states = torch.rand(16, 2, side, side, requires_grad=True)
    make(name, (2, side, side)).train()(states).square().sum().backward()
    assert (states.grad.abs().sum(dim=(0, 1)) > 0).all()


@pytest.mark.parametrize("dueling", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_gradient_reaches_every_parameter(name, dueling):
    torch.manual_seed(0)
    net: nn.Module = make(name, (2, 57, 43))
    if dueling:
        net = with_dueling_head(net.net, 5)
    # Weighted, because the mean over the actions takes the gradient of a plain sum away from the advantages.
    (net(torch.rand(3, 2, 57, 43)) * torch.arange(1, 6)).sum().backward()
    for parameter_name, parameter in net.named_parameters():
        assert parameter.grad is not None, parameter_name
        assert parameter.grad.abs().max() > 1e-6, parameter_name


@pytest.mark.parametrize("name", NAMES)
def test_weights_are_a_function_of_torch_s_seed(name):
    def weights(seed: int) -> torch.Tensor:
        torch.manual_seed(seed)
        return nn.utils.parameters_to_vector(make(name, (1, 40, 40)).parameters())

    first, again, other = weights(1), weights(1), weights(2)
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize("name", NAMES)
def test_only_construction_draws_random_numbers_and_leaves_training_mode(name):
    torch.manual_seed(0)
    net = make(name, (1, 40, 40))
    state = torch.get_rng_state()
    net(torch.rand(2, 1, 40, 40, generator=torch.Generator().manual_seed(0)))
    assert torch.equal(torch.get_rng_state(), state)
    assert all(module.training for module in net.modules())


@pytest.mark.parametrize("name", NAMES)
def test_values_are_float32_in_mixed_precision_and_near_those_of_full_precision(name):
    torch.manual_seed(0)
    net, state = make(name, (1, 40, 40)).eval(), torch.rand(3, 1, 40, 40)
    with torch.autocast("cpu", torch.bfloat16), torch.no_grad():
        mixed = net(state)
    assert mixed.dtype == torch.float32
    torch.testing.assert_close(mixed, net(state).detach(), atol=0.02, rtol=0)
    assert not torch.equal(mixed, mixed.bfloat16().float())


@pytest.mark.parametrize("name", [name for name in NAMES if name not in VECTOR_NETS])
def test_image_networks_name_the_networks_for_vectors(name):
    with pytest.raises(InputError, match=rf"{name} needs images.*\(4,\).*fc, linear_deep_net, linear_flat_net"):
        make(name, (4,))


@pytest.mark.parametrize(("name", "smallest"), [("cnn", 36), ("conv_net", 10), ("impala", 1)])
def test_the_smallest_image_works_and_a_smaller_one_is_refused(name, smallest):
    assert make(name, (3, smallest, smallest)).eval()(torch.rand(2, 3, smallest, smallest)).shape == (2, 5)
    for shape in ((3, smallest, smallest - 1), (3, smallest - 1, smallest)):
        with pytest.raises(InputError) as refusal:
            make(name, shape)
        for word in (name, f"{smallest}×{smallest}", str(shape)):
            assert word in str(refusal.value)


@pytest.mark.parametrize("name", NAMES)
def test_a_network_can_be_built_without_memory_to_check_that_it_fits(name):
    with torch.device("meta"):
        assert make(name, (4, 84, 84)).net[-1].weight.is_meta


@pytest.mark.parametrize("name", NAMES)
def test_a_network_is_captured_whole_by_the_compiler(name):
    torch.manual_seed(0)
    net, state = make(name, (1, 40, 40)).eval(), torch.rand(2, 1, 40, 40)
    compiled = torch.compile(net, fullgraph=True, backend="eager")
    with torch.autocast("cpu", torch.bfloat16), torch.no_grad():
        assert torch.equal(compiled(state), net(state))
