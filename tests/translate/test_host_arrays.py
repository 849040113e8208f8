"""numpy in translated functions: the values of eager mode at every call, no frozen values, and helpful errors."""

import itertools
import math

import numpy as np
import pytest

import minigraph as ms
from minigraph import GRAPH_MODE, PYNATIVE_MODE, Parameter, Tensor, grad, jit, nn, ops, set_context
from minigraph.compilation import OpByOpWarning
from minigraph.core.errors import CaptureError, TraceError
from minigraph.translate.host_arrays import host_call
from tests.inspection import operators
from tests.tables import error_cases

X, M = Tensor([1.0, 2.0, 3.0]), Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
ROW = np.array([1.0, 2.0, 3.0], np.float32)
WEIGHT = Parameter(Tensor([1.0, 2.0, 3.0]), name="weight")


def plain(observed):
    """A result with its types and bits."""
    if isinstance(observed, tuple | list):
        return [type(observed), *map(plain, observed)]
    if isinstance(observed, dict):
        return {key: plain(value) for key, value in observed.items()}
    array = np.asarray(observed.asnumpy() if isinstance(observed, Tensor) else observed)
    return type(observed), array.dtype, array.shape, array.tobytes()


def branch(x):
    array = x.asnumpy()
    if x.sum() > 0:
        array = np.sin(array)
    return x + Tensor(array)


def loop(x):
    array = x.asnumpy()
    while x.sum() < 100:
        array = np.sqrt(np.abs(x.asnumpy())) + array
        x = x + 1 + Tensor(array * array)
    return x, array


def rows(x):
    return [Tensor(row) for row in x.asnumpy()]


def eigen(x):
    values, vectors = np.linalg.eigh(np.outer(x.asnumpy(), x.asnumpy()) + np.eye(3, dtype=np.float32))
    return Tensor(values), Tensor(np.abs(vectors))


PROGRAMS = {
    "a ufunc": lambda x: x + Tensor(np.sin(x.asnumpy())),
    "operators": lambda x: Tensor(-((x.asnumpy() * 2 + ROW) ** 2) % 7),
    "operators from the other side": lambda x: Tensor(2 - x.asnumpy() + ROW * x.asnumpy()),
    "comparisons": lambda x: Tensor((x.asnumpy() > 1) & (x.asnumpy() != 2)),
    "a matrix product": lambda x: Tensor(np.diag(ROW) @ x.asnumpy()),
    "a method of a ufunc": lambda x: np.add.reduce(x.asnumpy()),
    "a function": lambda x: Tensor(np.concatenate([x.asnumpy(), ROW, x.asnumpy()])),
    "an inverse": lambda x: Tensor(np.linalg.inv(np.diag(np.abs(x.asnumpy())))),
    "several results": eigen,
    "a list of results": lambda x: [Tensor(part) for part in np.split(x.asnumpy(), 3)],
    "a method": lambda x: Tensor(x.asnumpy().reshape(3, 1).T.astype(np.float64)),
    "an attribute": lambda x: Tensor(x.asnumpy().reshape(3, 1).T.real),
    "an index": lambda x: (Tensor(x.asnumpy()[1:]), Tensor(x.asnumpy()[[0, 2]]), Tensor(x.asnumpy()[..., None])),
    "an index that is an array": lambda x: Tensor(ROW[np.argsort(-x.asnumpy()).tolist().__len__() - 1]),
    "rows": rows,
    "a number with a tensor": lambda x: x * np.mean(x.asnumpy()),
    "a Python number with a tensor": lambda x: x * x.asnumpy().max().item(),
    "a number with integers": lambda x: x.astype(ms.int32) * np.mean(x.asnumpy()).item(),
    "a number on the left": lambda x: np.sum(x.asnumpy()) - x,
    "math": lambda x: x * math.sqrt(abs(x.asnumpy().sum())),
    "a dtype": lambda x: Tensor(np.float64(x.asnumpy().sum())),
    "an array made of it": lambda x: Tensor(np.asarray(x.asnumpy()) + np.array(x.asnumpy())),
    "types and shapes": lambda x: x * np.shape(x.asnumpy())[0] * x.asnumpy().size * len(x.asnumpy()) * x.asnumpy().ndim,
    "its class": lambda x: x * isinstance(x.asnumpy(), np.ndarray),
    "a Parameter": lambda x: x * WEIGHT.asnumpy().sum() + Tensor(WEIGHT.asnumpy()),
    "a tensor of a tensor": lambda x: (Tensor(x), Tensor(x, ms.float64), Tensor(input_data=x, dtype=ms.float16)),
    "from_numpy": lambda x: Tensor.from_numpy(x.asnumpy() * 2),
    "a cast": lambda x: Tensor(np.sin(x.asnumpy()), ms.float16),
    "results": lambda x: (x.asnumpy(), x.asnumpy().sum(), x.asnumpy().tolist(), {"a": np.allclose(x.asnumpy(), ROW)}),
    "a branch": branch,
    "a loop": loop,
    "numpy()": lambda x: Tensor(x.numpy() + 1),
    "a copy": lambda x: Tensor(np.copy(x.asnumpy())),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_values_types_and_dtypes_equal_eager_mode_at_every_call(program):
    compiled = jit(program)
    for x in (X, -X, X * 3):
        assert plain(compiled(x)) == plain(program(x))
    assert compiled.cache_info().misses == 1


def test_cells_in_graph_mode_may_use_numpy_which_has_no_gradient():
    class Net(nn.Cell):
        def construct(self, x):
            return x + Tensor(np.tanh(x.asnumpy()))

    def product(x):
        return (x * Tensor(np.sin(x.asnumpy()))).sum()

    assert grad(jit(product))(X).tolist() == jit(grad(product))(X).tolist() == grad(product)(X).tolist()
    net, observed = Net(), []
    for mode in (PYNATIVE_MODE, GRAPH_MODE):
        set_context(mode=mode)
        observed.append(net(X).tolist())
    assert observed[0] == observed[1]


def test_every_numpy_call_is_one_node_neither_folded_nor_merged_nor_kept_when_unused():
    def same_twice(x):
        np.cos(x.asnumpy())
        return Tensor(np.sin(x.asnumpy())) + Tensor(np.sin(x.asnumpy()))

    graph = jit(lambda x: Tensor(np.sin(x.asnumpy()) + 1)).graph(X, pipeline=())
    hosts = [node for node in graph if str(graph.op(node)) == "host"]
    assert [graph.op(node).label_of(graph.attrs(node)) for node in hosts] == ["numpy.sin", "numpy.add"]
    assert {loc.file for node in hosts for loc in graph.loc(node)} == {__file__}
    assert operators(jit(same_twice).graph(X)).count("host") == 2


# ---- errors ------------------------------------------------------------------------------------------


def adds_in_place(x):
    array = x.asnumpy()
    array += 1
    return x


def sets_an_item(x):
    array = x.asnumpy()
    array[0] = 5.0
    return x


ASKING = {
    "if": lambda x: x if x.asnumpy()[0] > 0 else -x,
    "float": lambda x: x * float(x.asnumpy()[0]),
    "int": lambda x: range(int(x.asnumpy()[0])),
    "complex": lambda x: complex(x.asnumpy()[0]),
    "an index of a list": lambda x: [x, -x][np.argmax(x.asnumpy())],
    "a Parameter's number": lambda x: x * float(WEIGHT.asnumpy()[0]),
    "a function that is not numpy's": lambda x: np.frombuffer(bytes(x.asnumpy())),
    "Parameter": lambda x: Parameter(x.asnumpy()),
}


@pytest.mark.parametrize("name", ASKING)
def test_python_cannot_branch_on_it_and_the_error_names_expression_line_and_remedy(name):
    program = ASKING[name]
    with pytest.raises((TypeError, CaptureError), match="not during tracing|may depend|not iterable") as caught:
        jit(program).graph(X)
    if name in ("if", "float", "an index of a list"):
        assert caught.errisinstance(TraceError)
        assert f"(test_host_arrays.py:{program.__code__.co_firstlineno}); use tensor operations" in str(caught.value)


@pytest.mark.parametrize("program", [adds_in_place, sets_an_item, lambda x: np.sin(x.asnumpy(), out=x.asnumpy())])
def test_host_arrays_are_read_only(program):
    with pytest.raises(CaptureError, match="read-only during tracing in .* make a new array"):
        jit(program).graph(X)


test_calls_that_cannot_be_nodes = error_cases(
    (lambda x: x.asnumpy().sort(), CaptureError, "numpy.ndarray.sort: .*read-only"),
    (lambda x: np.linalg.inv(x.asnumpy()), CaptureError, "numpy.linalg.inv: |numpy.inv: "),
    (lambda x: np.array2string(x.asnumpy()), CaptureError, "its result's shape or dtype may depend on values"),
    (lambda x: x.asnumpy().astype(object), CaptureError, "no tensor has the dtype object"),
    (lambda x: np.split(np.tile(x.asnumpy(), 400), 1200), CaptureError, "1200 results cannot be"),
    (lambda x: x.asnumpy().append(1), AttributeError, "'numpy.ndarray' object has no attribute 'append'"),
    by=lambda program: jit(program).graph(X),
)


def test_tensors_and_arrays_do_not_mix_as_in_eager_mode():
    texts = []
    for program in (lambda x: x + np.sin(x.asnumpy()), lambda x: x.asnumpy() + x, lambda x: ops.sin(x.asnumpy())):
        for run in (program, jit(program)):
            with pytest.raises(TypeError) as caught:
                run(X)
            texts.append(str(caught.value))
    assert texts[::2] == texts[1::2]
    first = "Failed calling Add with \"Add()(input=Tensor, other=<class 'numpy.ndarray'>)\"."
    assert texts[0].splitlines()[0] == first


def test_the_error_of_a_call_on_examples_names_its_cause():
    def fail(array):
        raise memory

    memory = MemoryError("for 1 TB")
    with pytest.raises(CaptureError, match="sum: for 1 TB, on arrays of ones") as caught:
        host_call(fail, (X,), {}, "sum")
    assert caught.value.__cause__ is memory


def test_a_full_graph_has_no_numpy():
    text = (
        "In JIT strict mode, cannot get attributes asnumpy or the Tensor[Float32] object has no attribute: 'asnumpy'."
    )
    with pytest.raises(AttributeError) as caught:
        jit(lambda x: Tensor(x.asnumpy()), fullgraph=True)(X)
    assert str(caught.value).splitlines()[0] == text
    assert "(test_host_arrays.py:" in str(caught.value) and "fullgraph=True" in str(caught.value)


READS = [lambda x: WEIGHT.tolist(), lambda x: np.asarray(WEIGHT), lambda x: Tensor([WEIGHT])]
OTHER_READS = [lambda x: Tensor(WEIGHT), lambda x: x.asnumpy(), lambda x: WEIGHT.asnumpy(), lambda x: float(WEIGHT[0])]
HOW = [*itertools.product(["ast"], READS), *itertools.product(["trace"], [*READS, *OTHER_READS])]


@pytest.mark.parametrize(("mode", "read"), HOW)
def test_reading_a_parameter_never_freezes_its_value_and_trace_mode_has_no_numpy(mode, read):
    with pytest.raises(TraceError, match=r"(while|during) tracing.* \(test_host_arrays.py:\d+\); ") as caught:
        jit(read, capture_mode=mode).graph(X)
    assert mode == "ast" or "; use ops.where" in str(caught.value)


def test_a_parameter_is_read_when_the_graph_runs():
    def step(x):
        before = WEIGHT.asnumpy().sum()
        ops.assign(WEIGHT, WEIGHT + x)
        return x * before, Tensor(WEIGHT.asnumpy()), Tensor(WEIGHT) + x

    WEIGHT.set_data(Tensor([1.0, 2.0, 3.0]))
    compiled = jit(step)
    assert [out.tolist() for out in compiled(X)] == [[6.0, 12.0, 18.0], [2.0, 4.0, 6.0], [3.0, 6.0, 9.0]]
    assert [out.tolist() for out in compiled(X)] == [[12.0, 24.0, 36.0], [3.0, 6.0, 9.0], [4.0, 8.0, 12.0]]
    WEIGHT.set_data(Tensor([1.0, 2.0, 3.0]))


def test_no_host_array_leaks():
    kept = []

    def keeps(x):
        kept.append(x.asnumpy())
        return x

    with pytest.warns(UserWarning, match="'kept'"):
        jit(keeps).graph(X)
    assert kept == []
    with pytest.warns(OpByOpWarning, match="'kept'"):
        jit(keeps)(X)
    assert [type(array) for array in kept] == [np.ndarray]


# ---- print -------------------------------------------------------------------------------------------


def prints(x):
    print("x is", x, "and", x.asnumpy()[0], [x.shape, x[0]], sep=" ", end="!\n")
    print()
    print(f"rank {x.ndim}")
    print(WEIGHT, [WEIGHT], f"{WEIGHT}")
    tensor = Tensor([1.0, 2.0])
    tensor[0] = x[0]
    print(tensor, f"{tensor}")
    return x


def prints_in_a_branch(x):
    if x.sum() > 0:
        print("positive", x)
    return x


@pytest.mark.parametrize(("program", "lines"), [(prints, 10), (prints_in_a_branch, 1)])
def test_print_prints_the_text_of_eager_mode_at_every_call(program, lines, capsys):
    program(X), program(-X)
    expected = capsys.readouterr().out
    compiled = jit(program)
    compiled(X), compiled(-X)
    assert capsys.readouterr().out == expected
    assert expected.count("\n") == lines


def test_the_text_and_the_class_of_host_values():
    seen = []

    def looks(x):
        seen[:] = [x.asnumpy().__repr__(), type(x.asnumpy()), type(x.asnumpy().sum())]
        assert seen[0] == "<numpy f32[3], known when the graph runs>"
        assert seen[1:] == [np.ndarray, np.float32]
        return x

    with pytest.warns(UserWarning, match="'seen'"):
        jit(looks).graph(X)
    assert seen == []


# ---- tensors that the function writes to -------------------------------------------------------------

FIXED = Tensor([1.0, 2.0, 3.0])


def writes_its_own(x):
    tensor = Tensor([1.0, 2.0, 3.0])
    tensor[1] = x[0]
    return tensor + x, Tensor(tensor.asnumpy())


def writes_in_a_branch(x):
    tensor = Tensor([1.0, 2.0, 3.0])
    if x.sum() > 0:
        tensor[1] = 9.0
        x = x + Tensor(tensor.asnumpy())
    return x, Tensor(tensor.asnumpy() * 2)


def writes_to_the_users(x):
    FIXED[0] = x.sum()
    return x + Tensor(FIXED.asnumpy())


def writes_after_reading(x):
    before, text = x.asnumpy(), f"{x}"
    y = x + 0
    middle = y.asnumpy()
    y[0] = 7.0
    x[1] = 8.0
    return Tensor(before), text, Tensor(middle), f"{y} {x}", y


@pytest.mark.parametrize("program", [writes_its_own, writes_in_a_branch, writes_to_the_users, writes_after_reading])
def test_arrays_of_written_tensors_equal_eager_mode(program):
    compiled = jit(program)
    for x in (X, -X, X):
        FIXED.array = np.array([1.0, 2.0, 3.0], np.float32)
        assert plain(compiled(x + 0)) == plain(program(x + 0))


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_values_of_written_tensors_are_new(mode):
    def asks(x):
        tensor = Tensor([1.0, 2.0, 3.0])
        tensor[0] = x[0]
        return tensor.tolist()

    with pytest.raises(TraceError, match=r"in `tensor.tolist\(\)`"):
        jit(asks, capture_mode=mode).graph(X)
