import pytest
import torch
from torch import nn, tensor
from torch.testing import assert_close

from merlin.errors import MerlinError
from merlin.nets.heads import DuelingHead, with_dueling_head


def test_the_mean_runs_over_the_actions_of_each_state():
    head = DuelingHead(num_inputs=2, num_actions=3)
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
    head, hidden = DuelingHead(6, 4), torch.rand(3, 6)
    assert_close(head(hidden).mean(dim=1, keepdim=True), head.value(hidden))


def test_only_the_last_layer_is_replaced_and_the_rest_is_shared():
    net = nn.Sequential(nn.Flatten(), nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    dueling = with_dueling_head(net, 3)
    assert [type(layer) for layer in dueling] == [nn.Flatten, nn.Linear, nn.ReLU, DuelingHead]
    assert dueling[1] is net[1]
    assert isinstance(net[-1], nn.Linear)


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
