import pytest
import torch
from torch import nn, tensor
from torch.testing import assert_close

from merlin.errors import MerlinError
from merlin.nets.heads import DuelingHead, with_dueling_head


def test_the_mean_runs_over_the_actions_of_each_state():
    head = DuelingHead(nn.Sequential(), nn.Sequential(), num_inputs=2, num_actions=3)
    with torch.no_grad():
        head.value.weight.copy_(tensor([[10.0, 100.0]]))
        head.value.bias.fill_(1.0)
        head.advantage.weight.copy_(tensor([[1.0, 0.0], [0.0, 2.0], [5.0, 1.0]]))
        head.advantage.bias.zero_()
    # State (1, 0): V 11, A (1, 0, 5), mean 2. State (0, 1): V 101, A (0, 2, 1), mean 1.
    q = head(tensor([[1.0, 0.0], [0.0, 1.0]]))
    assert q.tolist() == [[10.0, 9.0, 14.0], [100.0, 102.0, 101.0]]


def test_a_state_s_values_do_not_depend_on_its_batch():
    torch.manual_seed(0)
    net = with_dueling_head(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)), 3)
    states = torch.rand(5, 4)
    assert_close(net(states)[2:3], net(states[2:3]))


def test_the_mean_of_the_values_is_the_value_of_the_state():
    torch.manual_seed(0)
    head, hidden = DuelingHead(nn.Sequential(), nn.Sequential(), 6, 4), torch.rand(3, 6)
    assert_close(head(hidden).mean(dim=1, keepdim=True), head.value(hidden))


def test_each_stream_has_a_hidden_layer_of_its_own():
    net = nn.Sequential(nn.Flatten(), nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    dueling = with_dueling_head(net, 3)
    assert [type(layer) for layer in dueling] == [nn.Flatten, DuelingHead]
    head = dueling[1]
    assert head.advantage_hidden[0] is net[1]
    assert head.value_hidden[0].weight.shape == (8, 4)
    assert not torch.equal(head.value_hidden[0].weight, net[1].weight)
    assert isinstance(net[-1], nn.Linear)


def test_the_layers_below_the_head_are_shared():
    net = nn.Sequential(nn.Conv2d(2, 3, 2), nn.Flatten(), nn.Linear(27, 3))
    dueling = with_dueling_head(net, 3)
    assert [type(layer) for layer in dueling] == [nn.Conv2d, nn.Flatten, DuelingHead]
    assert dueling[0] is net[0]
    assert dueling(torch.rand(5, 2, 4, 4)).shape == (5, 3)


def test_every_weight_of_the_head_is_found_by_an_optimizer():
    dueling = with_dueling_head(nn.Sequential(nn.Linear(4, 3)), 3)
    assert sorted(dict(dueling.named_parameters())) == [
        "0.advantage.bias",
        "0.advantage.weight",
        "0.value.bias",
        "0.value.weight",
    ]


def test_values_are_float32_in_mixed_precision():
    torch.manual_seed(0)
    net = with_dueling_head(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)), 3)
    with torch.autocast("cpu", torch.bfloat16):
        q = net(torch.rand(2, 4))
    assert q.dtype == torch.float32
    assert not torch.equal(q, q.bfloat16().float())


@pytest.mark.parametrize("net", [nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1)), nn.Sequential()])
def test_a_network_without_a_last_linear_is_refused(net):
    with pytest.raises(MerlinError, match=r"ends in (Softmax|None).*nn\.Linear\(…, num_actions\)"):
        with_dueling_head(net, 3)
