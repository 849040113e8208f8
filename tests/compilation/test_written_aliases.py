"""A function that writes to an argument, which is also another argument or state that the function reads."""

import warnings

import pytest

from minigraph import Parameter, Tensor, jit, nn, ops
from minigraph.compilation import OpByOpWarning
from minigraph.core.errors import CaptureError


def written_first(a, b):
    a[0] = 1.0
    return a @ b, a, b


@pytest.mark.parametrize("other", [lambda q: q, lambda q: q.T, lambda q: q[0:2], lambda q: q[:, ::1]])
def test_an_argument_that_aliases_a_written_tensor_sees_the_write(other):
    step, q, clone = jit(written_first), Tensor([[0.0, 1.0], [2.0, 3.0]]), Tensor([[0.0, 1.0], [2.0, 3.0]])
    expected = written_first(clone, other(clone))
    with pytest.warns(OpByOpWarning, match="a changed argument is also another argument"):
        result = step(q, other(q))
    assert [tensor.tolist() for tensor in result] == [tensor.tolist() for tensor in expected]
    assert q.tolist() == clone.tolist()
    separate = step(Tensor([[0.0, 1.0], [2.0, 3.0]]), Tensor([[1.0, 0.0], [0.0, 1.0]]))
    assert separate[0].tolist() == [[1.0, 1.0], [2.0, 3.0]]


def test_views_that_a_write_has_separated_are_still_one_tensor():
    """After a write, each view of a tensor has an array of its own."""

    def write_first(x, y):
        x[0] = 50.0
        return x + y, kept[0:1] + 0.0

    results = []
    for function in (write_first, jit(write_first)):
        kept = base = Tensor([1.0, 2.0, 3.0, 4.0])
        a, b, first = base[1:3], base[1:3], base[0:2]
        base[3] = 9.0
        for arguments in ((a, b), (first, Tensor([0.0, 0.0]))):
            with warnings.catch_warnings(action="ignore", category=OpByOpWarning):
                results.append([out.tolist() for out in function(*arguments)])
    assert results[:2] == results[2:]


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_a_loop_with_a_graph_break_writes_through_a_view(mode):
    def step(x):
        y = x * 1
        first = y[0:2]
        while int(y.sum()) < 10:
            first[0] += 1
            y[0] *= 2
        return y

    with warnings.catch_warnings(action="ignore", category=OpByOpWarning):
        assert jit(step, capture_mode=mode)(Tensor([1.0, 1.0, 0.0])).tolist() == [10.0, 1.0, 0.0]


class AddsItsWeight(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0, 3.0]), name="w")

    def construct(self, x):
        ops.assign(self.w, x * 2)
        return x + self.w


@pytest.mark.parametrize("argument", [lambda w: w, lambda w: w[0:3], lambda w: w.view(3)])
@pytest.mark.parametrize("compiled", [jit, lambda cell: jit(lambda x: cell(x), capture_mode="trace")])
def test_a_parameter_that_is_written_to_may_be_an_argument(argument, compiled):
    expected, cell = AddsItsWeight(), AddsItsWeight()
    step = compiled(cell)
    step(Tensor([1.0, 2.0, 3.0]))  # compiles
    expected(Tensor([1.0, 2.0, 3.0]))
    for _ in range(2):
        with warnings.catch_warnings(action="ignore", category=OpByOpWarning):
            assert step(argument(cell.w)).tolist() == expected(argument(expected.w)).tolist()
        assert cell.w.tolist() == expected.w.tolist()
    with pytest.raises(CaptureError, match="a changed argument is also another argument, or state"):
        jit(lambda x: cell(x), fullgraph=True)(argument(cell.w))


def test_a_closed_over_tensor_that_is_written_to_may_be_an_argument():
    kept = Tensor([1.0, 2.0])

    @jit
    def step(x):
        kept[0] = 5.0
        return x + 0.0

    assert step(Tensor([7.0, 7.0])).tolist() == [7, 7]
    with pytest.warns(OpByOpWarning):
        assert step(kept).tolist() == [5, 2]
