"""Networks that users write: the document's example as it stands, and what they are told of mistakes."""

import pytest
import torch
from torch import nn

from merlin.errors import MerlinError
from merlin.nets import BaseNet, net_registry
from merlin.nets.heads import with_dueling_head
from merlin.registry import Registry, name_of


class NewNet(BaseNet):
    @classmethod  # ty: ignore[invalid-argument-type]
    @property
    def name(cls) -> str:  # ty: ignore[incompatible-attribute-override]
        return "new_net"  # give it a unique name here

    def _define_net(self, state_shape: tuple[int, int, int], num_actions: int) -> nn.Sequential:
        stack, height, width = state_shape
        return nn.Sequential(nn.Flatten(), nn.Linear(stack * height * width, num_actions))


def test_the_document_s_example_works_as_written():
    registry = Registry("net", [*(entry.cls for entry in net_registry), NewNet])
    net = registry.find("new_net").cls((4, 84, 84), 6)
    assert name_of(NewNet) == "new_net"
    assert net(torch.rand(2, 4, 84, 84)).shape == (2, 6)
    assert with_dueling_head(net.net, 6)(torch.rand(2, 4, 84, 84)).shape == (2, 6)


def test_a_network_with_parameters_of_its_own():
    class Wide(BaseNet):
        name = "wide"

        class Parameters(BaseNet.Parameters):
            width: int = 3

        def _define_net(self, state_shape, num_actions):
            width = self.settings.width
            return nn.Sequential(nn.Linear(*state_shape, width), nn.Tanh(), nn.Linear(width, num_actions))

    assert Wide((4,), 2).net[0].out_features == 3
    assert Wide((4,), 2, Wide.Parameters(width=9)).net[0].out_features == 9


def test_the_base_is_abstract():
    with pytest.raises(TypeError, match="_define_net"):
        BaseNet((4,), 2)  # ty: ignore[abstract-class-instantiation]


def returning(layers) -> type[BaseNet]:
    """Returns a user's network that has these layers."""

    class UserNet(BaseNet):
        name = "user_net"

        def _define_net(self, state_shape, num_actions):
            return layers

    return UserNet


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        (None, "it returned NoneType"),
        (nn.Linear(4, 2), "it returned Linear"),
        (nn.Sequential(), "an empty one"),
        (nn.Sequential(nn.Linear(4, 2), nn.ReLU()), r"its last layer is ReLU\(\).*no activation"),
        (nn.Sequential(nn.Linear(4, 3)), "here with 2 outputs; its last layer has 3"),
    ],
)
def test_a_network_that_is_not_as_agents_need_it_is_told_so(layers, message):
    with pytest.raises(MerlinError, match=rf"UserNet\._define_net must return an nn\.Sequential.*{message}"):
        returning(layers)((4,), 2)


def test_layers_that_do_not_fit_the_states_are_told_at_once():
    with pytest.raises(MerlinError, match=r"UserNet do not take states of shape \(5,\): .*shapes cannot"):
        returning(nn.Sequential(nn.Linear(4, 2)))((5,), 2)


def test_a_forgotten_flatten_is_told():
    with pytest.raises(MerlinError, match=r"\(3, 7, 4\) into \(1, 3, 7, 2\), not into \(1, 2\).*nn\.Flatten"):
        returning(nn.Sequential(nn.Linear(4, 2)))((3, 7, 4), 2)


def test_lazy_layers_are_complete_after_construction():
    net = returning(nn.Sequential(nn.Flatten(), nn.LazyLinear(8), nn.ReLU(), nn.LazyLinear(2)))((3, 5, 5), 2)
    assert net.net[1].in_features == 75
    assert isinstance(with_dueling_head(net.net, 2)[-1].value, nn.Linear)


def test_looking_at_the_layers_changes_nothing_in_them():
    frozen = nn.BatchNorm1d(4).eval()
    net = returning(nn.Sequential(frozen, nn.BatchNorm1d(4), nn.Dropout(), nn.Linear(4, 2)))((4,), 2)
    assert [layer.training for layer in net.net] == [False, True, True, True]
    assert net.net[1].num_batches_tracked == 0
