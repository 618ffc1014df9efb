import pytest
import torch
from torch import nn

from antireg.networks import mlp, modules
from antireg.networks.layers import (
    Layer,
    as_matrix,
    as_weights,
    flattened,
    layer_named,
    patches,
)

UNEVEN = {"dilation": (1, 3), "padding": "same", "padding_mode": "replicate"}
"""Four to add to one axis, nine to the other: four before, five after."""

CONVOLUTIONS = [
    (nn.Conv1d(3, 2, 3, padding="same", padding_mode="circular"), (2, 3, 7)),
    (nn.Conv2d(4, 6, (3, 2), stride=2, padding=1, dilation=(1, 2)), (5, 4, 9, 8)),
    (nn.Conv3d(2, 3, 2, bias=False), (2, 2, 4, 4, 4)),
    (nn.Conv2d(2, 3, (5, 4), **UNEVEN), (2, 2, 9, 8)),
    (nn.Conv2d(2, 3, (3, 1), padding=(2, 0), padding_mode="reflect"), (2, 2, 5, 4)),
    (nn.Conv1d(2, 3, 2, padding="valid"), (2, 2, 5)),
    (nn.Conv2d(1, 2, 3), (1, 6, 6)),  # one picture, without an axis of rows
]


@pytest.mark.parametrize(("layer", "shape"), CONVOLUTIONS, ids=str)
def test_patches_times_the_kernel_are_what_a_convolution_returns(layer, shape) -> None:
    x = torch.randn(*shape, generator=torch.Generator().manual_seed(0))
    product = patches(layer, x) @ layer.weight.flatten(1).mT
    if layer.bias is not None:
        product = product + layer.bias
    n_axes = len(layer.kernel_size)
    expected = layer(x).reshape(-1, layer.out_channels, *layer(x).shape[-n_axes:])
    expected = expected.flatten(2).mT.flatten(0, 1)
    # Sums of up to 40 products of numbers of about 1, in another order.
    torch.testing.assert_close(product, expected, rtol=0, atol=1e-5)


def test_channels_of_groups_are_vectors_of_their_own() -> None:
    layer, x = nn.Conv1d(4, 2, 1, groups=2), torch.arange(8.0).reshape(1, 4, 2)
    # Two positions; at each, channels 0 and 1, then 2 and 3.
    assert patches(layer, x).tolist() == [[0, 2], [4, 6], [1, 3], [5, 7]]


def test_linear_layers_take_all_axes_but_the_last_as_vectors() -> None:
    assert patches(nn.Linear(2, 1), torch.zeros(3, 5, 2)).shape == (15, 2)
    assert patches(nn.Linear(2, 1), torch.zeros(2)).shape == (1, 2)


def test_matrices_hold_the_bias_as_their_last_input() -> None:
    stack = mlp([2, 3, 1], seeds=[1, 2])
    layer = Layer("kernel0", "bias0", inputs_first=True)
    matrix = as_matrix(stack.weights(), layer)
    assert matrix.shape == (2, 3, 3)
    assert torch.equal(matrix[:, :2], stack.weights()["kernel0"])
    again = as_weights(matrix, layer, stack.shapes)
    flat = flattened(again, stack.shapes, 2)
    assert torch.equal(flat[:, :9], stack.flat[:, :9])
    assert not flat[:, 9:].any()


def test_a_kernel_of_a_convolution_is_a_matrix_and_back() -> None:
    weights = {"a.weight": torch.randn(2, 5, 3, 2, 2)}
    layer = Layer("a.weight", None)
    matrix = as_matrix(weights, layer)
    assert matrix.shape == (2, 12, 5)
    back = as_weights(matrix, layer, {"a.weight": (5, 3, 2, 2)})
    assert torch.equal(back["a.weight"], weights["a.weight"])


class Pictures(nn.Module):
    """A convolution, a frozen layer and a head that is used twice."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(1, 2, 2)
        self.frozen = nn.Linear(18, 4).requires_grad_(False)
        self.head = nn.Linear(4, 4)
        self.unused = nn.Linear(4, 4)
        self.last = nn.Linear(4, 1)

    def forward(self, x):
        values = self.frozen(self.first(x.reshape(-1, 1, 4, 4)).flatten(1))
        return self.last(self.head(self.head(values)))


def frozen_alike(n_inputs: int, n_outputs: int) -> nn.Module:
    made = Pictures()
    nn.init.constant_(made.frozen.weight, 0.5)
    nn.init.zeros_(made.frozen.bias)
    return made


def test_what_enters_the_layers_of_a_module() -> None:
    stack = modules(frozen_alike, 16, 1, seeds=[1, 2])
    x = torch.rand(5, 16)
    entered = dict(stack.layers_entered(x))
    names = [layer.kernel for layer in entered]
    assert names == ["first.weight", "head.weight", "last.weight"]
    shapes = [tuple(vectors.shape) for vectors in entered.values()]
    # Nine patches of a row, the same for all members; the head is run twice.
    assert shapes == [(1, 45, 4), (2, 10, 4), (2, 5, 4)]
    last = entered[Layer("last.weight", "last.bias")]
    outputs = (
        last @ stack.weights()["last.weight"].mT + stack.weights()["last.bias"][:, None]
    )
    torch.testing.assert_close(outputs, stack(x), rtol=1e-5, atol=1e-6)


def test_what_enters_the_layers_of_a_fully_connected_stack() -> None:
    stack = mlp([3, 4, 2], seeds=[1, 2])
    x = torch.rand(5, 3)
    (_, inputs), (layer, hidden) = stack.layers_entered(x)
    assert torch.equal(inputs, x[None])
    weights = as_matrix(stack.weights(), layer)
    with_one = torch.cat([hidden, torch.ones(2, 5, 1)], 2)
    torch.testing.assert_close(with_one @ weights, stack(x), rtol=1e-5, atol=1e-6)


def test_a_tied_kernel_has_the_name_of_its_first_layer() -> None:
    assert layer_named("b", {"a.weight": (2, 2)}) is None
    assert layer_named("", {"weight": (1, 2)}) == Layer("weight", None)
