"""Operators with bodies: types, errors, and memory."""

import numpy as np

from minigraph import Tensor, errors, jit, ops, trace
from minigraph.operators.regions import COND, SCAN, WHILE, program_of
from tests.tables import error_cases, every

X = Tensor([1.0, 2.0])
BODY = trace(lambda x: x * 2, X)


def test_a_body_is_compiled_once_and_results_share_no_memory():
    # a body is compiled once
    assert program_of(BODY) is program_of(BODY)
    # results share no memory with operands
    out = COND.forward(np.array(True), X.asnumpy(), bodies=(trace(lambda x: x, X),) * 2)
    assert not np.shares_memory(out, X.asnumpy())


@every(op=[COND, WHILE, SCAN], ids=str)
def test_operators_with_bodies_are_regions_with_gradients(op):
    assert op.family == "region"
    assert op.vjp
    assert op.doc.endswith(".")


OTHER = trace(lambda x: x * 2, Tensor([1.0]))


test_errors = error_cases(
    (COND, [Tensor(True).type, X.type], {"bodies": (BODY, OTHER)}, r"expected f32\[2\], got"),
    (SCAN, [X.type, X.type], {"carries": 1, "rows": 1, "length": 3, "bodies": (BODY,)}, "does not have 3 rows"),
    by=lambda op, types, attrs: op.types(types, attrs),
    error=errors.ShapeError,
)


def test_the_pipeline_works_on_copies_of_bodies():
    def fn(x):
        return ops.cond(x.sum() > 0, lambda: x * 2 + x * 2, lambda: x)

    before, after = jit(fn).graph(X, pipeline=()), jit(fn).graph(X, pipeline="cse,dce")
    sizes = [len(next(g.regions(n) for n in g if g.regions(n))[0]) for g in (before, after)]
    assert sizes[1] < sizes[0]


def test_a_scan_is_simulated_once_per_iteration():
    def work(rounds):
        graph = trace(lambda x: ops.fori_loop(0, rounds, lambda i, s: s * 2, x), X)
        return next(graph.work(node) for node in graph if graph.regions(node))

    assert dict(work(6).lanes)["simple"] == 3 * dict(work(2).lanes)["simple"]
