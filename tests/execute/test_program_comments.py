"""Comments and unpacking lines of a program's source."""

from minigraph import Tensor, trace
from minigraph.core.location import Loc
from minigraph.execute.codegen import comment, unpack_line
from minigraph.execute.compile import compile_graph


def test_comments_are_escaped_and_empty_tuples_are_not_unpacked():
    (step,) = compile_graph(trace(lambda x: x * 2.0, Tensor([1.0]))).plan.steps
    assert comment(step._replace(loc=())) == "  # %2"
    assert comment(step._replace(loc=(Loc("a\nb.py", 3),))) == "  # %2 a\\nb.py:3"
    assert (unpack_line(["v0", "v1"], "inputs"), unpack_line([], "inputs")) == (["    v0, v1, = inputs"], [])
