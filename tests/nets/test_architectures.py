"""Each network against what was published: sizes, widths, layers."""

import pytest
import torch
from pydantic import ValidationError
from torch import nn

from merlin.nets import CNN, FC, ConvNet, ImpalaNet, LinearDeepNet, LinearFlatNet
from merlin.nets.impala import ResidualBlock

ATARI = (4, 84, 84)


def size(net: nn.Module) -> int:
    return sum(parameter.numel() for parameter in net.parameters())


def widths(net: nn.Module) -> list[int]:
    return [layer.out_features for layer in net.modules() if isinstance(layer, nn.Linear)]


def channels(net: nn.Module) -> list[int]:
    return [layer.out_channels for layer in net.modules() if isinstance(layer, nn.Conv2d)]


def test_the_nature_network_has_its_published_size():
    # 4·8·8·32+32, 32·4·4·64+64, 64·3·3·64+64, 64·7·7·512+512, 512·6+6
    assert size(CNN(ATARI, 6)) == 8_224 + 32_832 + 36_928 + 1_606_144 + 3_078 == 1_687_206


def test_the_impala_network_with_the_paper_s_widths():
    # Per stack: c·3·3·d+d into it and four times d·3·3·d+d in its blocks; 84 → 42 → 21 → 11 pixels.
    net = ImpalaNet(ATARI, 6, ImpalaNet.Parameters(features=(16, 32, 32, 256)))
    stacks = (592 + 4 * 2_320) + (4_640 + 4 * 9_248) + (9_248 + 4 * 9_248)
    assert size(net) == stacks + (11 * 11 * 32 * 256 + 256) + (256 * 6 + 6) == 1_090_774


def test_conv_net_normalises_and_has_no_bias_before_that():
    # 4·8·8·32, 32·4·4·64, 64·3·3·64 and two numbers per channel; 66 → 16 → 8 → 8 pixels; 256 units.
    net = ConvNet((4, 66, 66), 3)
    assert size(net) == 8_192 + 64 + 32_768 + 128 + 36_864 + 128 + (64 * 8 * 8 * 256 + 256) + (256 * 3 + 3)
    assert [type(layer).__name__ for layer in list(net.net)[:3]] == ["Conv2d", "BatchNorm2d", "ReLU"]


@pytest.mark.parametrize(
    ("net", "expected"),
    [
        (LinearFlatNet(ATARI, 3), [512, 128, 3]),
        (LinearDeepNet(ATARI, 3), [512, 384, 64, 16, 3]),
        (ConvNet(ATARI, 3), [256, 3]),
        (CNN(ATARI, 3), [512, 3]),
        (ImpalaNet(ATARI, 3), [512, 3]),
        (FC((4,), 3), [256, 256, 3]),
        (CNN(ATARI, 3, CNN.Parameters(features=(8, 16, 16))), [3]),
        (CNN(ATARI, 3, CNN.Parameters(features=(8, 16, 16, 20, 10))), [20, 10, 3]),
        (FC((4,), 3, FC.Parameters(features=(7,))), [7, 3]),
        (FC((4,), 3, FC.Parameters(features=())), [3]),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, nn.Module) else str(value),
)
def test_dense_widths(net, expected):
    assert widths(net) == expected


def test_channels():
    assert channels(CNN(ATARI, 3)) == [32, 64, 64]
    assert channels(CNN(ATARI, 3, CNN.Parameters(features=(8, 16, 24)))) == [8, 16, 24]
    assert channels(ConvNet(ATARI, 3)) == [32, 64, 64]
    assert channels(ImpalaNet(ATARI, 3)) == [32] * 5 + [64] * 5 + [64] * 5


@pytest.mark.parametrize(
    ("net", "side", "border"), [(CNN, 84, None), (CNN, 60, None), (CNN, 64, 2), (ConvNet, 66, None), (ConvNet, 64, 1)]
)
def test_pictures_of_which_the_convolutions_would_leave_out_an_edge_get_a_border(net, side, border):
    first = net((4, side, side), 3).net[0]
    assert isinstance(first, nn.Conv2d) if border is None else first.padding == (border,) * 4


@pytest.mark.parametrize("net", [CNN, ImpalaNet])
def test_features_must_name_three_convolutions_and_no_empty_layer(net):
    with pytest.raises(ValidationError, match="at least 3"):
        net.Parameters(features=(32, 64))
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        net.Parameters(features=(32, 64, 0, 512))


def test_features_may_be_written_as_a_list():
    assert CNN.Parameters(features=[1, 2, 3]).features == (1, 2, 3)


def test_a_residual_block_adds_its_branch_to_an_input_that_it_leaves_alone():
    block, x = ResidualBlock(2), torch.tensor([-1.0, 2.0]).reshape(1, 2, 1, 1)
    for layer in block.branch:
        if isinstance(layer, nn.Conv2d):
            nn.init.dirac_(layer.weight)  # the convolution hands its input through
            layer.bias = None
    # x + relu(relu(x)): the negative one passes only on the short cut.
    assert block(x).flatten().tolist() == [-1.0, 4.0]
    assert x.flatten().tolist() == [-1.0, 2.0]


def test_impala_rectifies_between_its_last_block_and_the_dense_layer():
    kinds = [type(layer) for layer in ImpalaNet(ATARI, 3).net]
    assert kinds[-6:] == [ResidualBlock, nn.ReLU, nn.Flatten, nn.Linear, nn.ReLU, nn.Linear]


def test_weights_are_uniform_in_the_inverse_root_of_their_inputs():
    torch.manual_seed(0)
    for layer in CNN(ATARI, 6).net:
        if isinstance(layer, nn.Conv2d | nn.Linear):
            bound = layer.weight[0].numel() ** -0.5
            assert 0.95 * bound < layer.weight.abs().max() <= bound
            assert layer.bias is not None
            assert layer.bias.abs().max() <= bound
