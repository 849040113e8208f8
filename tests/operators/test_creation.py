"""Creation of tensors."""

import numpy as np

from minigraph import Tensor, errors, float16, float32, int64
from minigraph.capture.trace import trace
from minigraph.core.op import apply, op_named
from minigraph.core.types import TensorType
from tests.tables import error_cases, every


def test_full_arange_and_eye_are_nodes_without_operands():
    # full arange eye
    assert apply("full", shape=(2, 2), value=1.5).tolist() == [[1.5, 1.5], [1.5, 1.5]]
    assert apply("full", shape=3, value=7, dtype=int64).tolist() == [7, 7, 7]
    assert apply("arange", start=1, stop=7, step=2).tolist() == [1, 3, 5]
    assert apply("eye", rows=2, columns=3, dtype=float16).tolist() == [[1, 0, 0], [0, 1, 0]]
    # they are nodes without operands and constants of no memory
    graph = trace(lambda x: x + apply("full", shape=(1000, 1000), value=0.5), Tensor(1.0))
    assert [str(graph.op(node)) for node in graph.topological() if not graph.ins(node)].count("full") == 1
    assert len(str(graph)) < 500
    # the work is the written elements
    work = op_named("full").work(TensorType((4, 4), float32), shape=(4, 4), value=0.0, dtype=float32)
    assert (work.read, work.written) == (0, 64)


@every(bounds=[(0, 1, 0.1), (5, 0, -1), (0, 0, 1)])
def test_arange_equals_numpys(bounds):
    start, stop, step = bounds
    result = apply("arange", start=start, stop=stop, step=step, dtype=float32)
    np.testing.assert_array_equal(result.array, np.arange(*bounds).astype(np.float32))


test_errors = error_cases(
    (lambda: apply("full", shape=(2.5,), value=0), errors.UsageError, "full: a shape is made of ints"),
    (lambda: apply("eye", rows=2, dtype=np.float32), TypeError, "eye: dtype must be a minigraph dtype"),
)
