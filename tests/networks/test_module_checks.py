import pytest
import torch
from torch import Tensor, nn

import antireg
from antireg import EnsembleRegressor
from antireg.networks import modules
from tests.small_models import SMALL, assert_same, rows
from tests.small_tables import unfinished_is_fine

pytestmark = unfinished_is_fine

SEEDS = [3, 4]


class Tied(nn.Module):
    """Two layers with one weight."""

    def __init__(self, n_inputs: int, n_outputs: int) -> None:
        super().__init__()
        self.first = nn.Linear(n_inputs, n_inputs)
        self.second = nn.Linear(n_inputs, n_inputs)
        self.second.weight = self.first.weight
        self.last = nn.Linear(n_inputs, n_outputs)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(torch.relu(self.second(torch.relu(self.first(x)))))


class Recurrent(nn.Module):
    """An LSTM over the columns."""

    def __init__(self, n_inputs: int, n_outputs: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, 4, batch_first=True)
        self.last = nn.Linear(4, n_outputs)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.lstm(x[:, :, None])[0][:, -1])


class Branches(nn.Module):
    """Takes one layer or another, row by row."""

    def __init__(self, n_inputs: int, n_outputs: int) -> None:
        super().__init__()
        self.low = nn.Linear(n_inputs, n_outputs)
        self.high = nn.Linear(n_inputs, n_outputs)

    def forward(self, x: Tensor) -> Tensor:
        return torch.stack(
            [self.high(row) if row[0] > 0.5 else self.low(row) for row in x]
        )


@pytest.mark.parametrize("network", [Tied, Recurrent, Branches])
def test_what_vmap_cannot_run_is_run_member_by_member(network, tmp_path) -> None:
    stack = modules(network, 3, 2, seeds=SEEDS)
    x = torch.rand(2, 7, 3, generator=torch.Generator().manual_seed(0))
    outputs = stack(x)
    for member in range(2):
        weights = {name: w[member] for name, w in stack.weights().items()}
        alone = torch.func.functional_call(stack.module, weights, (x[member],))
        torch.testing.assert_close(outputs[member], alone)
    (gradient,) = torch.autograd.grad(outputs.square().sum(), stack.flat)
    assert gradient.shape == stack.flat.shape
    assert (gradient != 0).any(1).all()


@pytest.mark.parametrize("network", [Tied, Recurrent, Branches])
def test_such_members_are_trained_saved_and_loaded(network, tmp_path) -> None:
    model = EnsembleRegressor(**SMALL | {"network": network, "scaling": "range"})
    model.fit(*rows())
    model.save(tmp_path / "model")
    assert_same(model, antireg.load(tmp_path / "model", network=network))


def test_tied_weights_are_one_weight_of_a_member() -> None:
    stack = modules(Tied, 3, 2, seeds=SEEDS)
    assert "first.weight" in stack.shapes
    assert "second.weight" not in stack.shapes


class Centred(nn.Linear):
    """Takes the mean of all rows away."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x - x.mean(0))


class Counting(nn.Linear):
    """Remembers how many rows it has seen."""

    def __init__(self, n_inputs: int, n_outputs: int) -> None:
        super().__init__(n_inputs, n_outputs)
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        self.seen += len(x)
        return super().forward(x)


class Pair(nn.Linear):
    """Returns more than a tensor."""

    def forward(self, x: Tensor) -> tuple[Tensor, None]:
        return super().forward(x), None


class Whole(nn.Linear):
    """Returns whole numbers."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x).long()


class Crowd(nn.Linear):
    """Cannot do with one row."""

    def forward(self, x: Tensor) -> Tensor:
        if len(x) == 1:
            raise IndexError("one row")
        return super().forward(x)


def wrong_signature() -> nn.Module:
    return nn.Linear(3, 2)


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (Centred, "depends on that row alone.*not over rows"),
        (Counting, "not change as it is run.*'seen'"),
        (Pair, "got a tuple. Return one tensor"),
        (Whole, "as floats, got torch.int64"),
        (Crowd, "one row. It must take a single row too"),
        (wrong_signature, r"got wrong_signature, which cannot be called with \(3, 2\)"),
        (int, r"got the class int, which cannot be called with .* network=int\(...\)"),
        (lambda i, o: "network", "got <lambda>, which returns a str"),
        (nn.Sequential(nn.LazyLinear(2)), "got a lazy layer"),
        (lambda i, o: nn.LazyLinear(2), "got a lazy layer"),
        (lambda i, o: nn.Embedding(2, 2), "take inputs .* to have one of"),
    ],
)
def test_other_modules_are_refused_in_one_sentence(network, message: str) -> None:
    with pytest.raises(ValueError, match=f"network must .*{message}"):
        modules(network, 3, 2, seeds=SEEDS)


def test_members_of_other_shapes_are_refused() -> None:
    widths = iter([4, 5])

    def network(n_inputs: int, n_outputs: int) -> nn.Module:
        width = next(widths)
        return nn.Sequential(nn.Linear(n_inputs, width), nn.Linear(width, n_outputs))

    with pytest.raises(ValueError, match="the same weights in all members"):
        modules(network, 3, 2, seeds=SEEDS)


def test_attention_over_features_is_fine_and_over_rows_is_not() -> None:
    class Attention(nn.Module):
        def __init__(self, over_rows: bool) -> None:
            super().__init__()
            self.attention = nn.MultiheadAttention(4, 1, batch_first=True)
            self.into, self.out = nn.Linear(1, 4), nn.Linear(4, 2)
            self.over_rows = over_rows

        def forward(self, x: Tensor) -> Tensor:
            values = self.into(x[:, :, None])
            if self.over_rows:
                values = values.transpose(0, 1)
            values = self.attention(values, values, values, need_weights=False)[0]
            return self.out(values.mean(0 if self.over_rows else 1))

    assert modules(lambda *_: Attention(False), 3, 2, seeds=SEEDS).n_members == 2
    with pytest.raises(ValueError, match="depends on that row alone"):
        modules(lambda *_: Attention(True), 3, 2, seeds=SEEDS)
