"""How functions run during tracing: as written, or translated."""

import pytest

from minigraph import Tensor, jit, trace
from minigraph.capture.structure import TraceMode
from minigraph.core.errors import TraceError
from minigraph.translate.source import AstMode
from tests.tables import cases, error_of

X = Tensor([1.0, 2.0])


def asks(x):
    return [value for value in x if value > 1]


def test_trace_mode_runs_functions_as_written_as_does_ast_mode_without_source():
    namespace = {}
    assert TraceMode()(asks) is asks
    assert AstMode()(asks) is not asks
    exec("def asks(x):\n    return x if x.sum() > 0 else -x\ndef adds(x):\n    return x + 1", namespace)
    assert jit(namespace["adds"])(X).tolist() == [2.0, 3.0]
    with pytest.raises(TraceError, match="; use ops.where or another operator, or put the function in a file"):
        jit(namespace["asks"], fullgraph=True)(X)


@cases(
    (lambda: trace(asks, X), TraceMode),
    (lambda: jit(asks, capture_mode="trace", fullgraph=True)(X), TraceMode),
    (lambda: jit(asks, fullgraph=True)(X), AstMode),
)
def test_the_remedy_depends_on_the_mode(capture, mode):
    message = error_of(capture, error=TraceError)
    assert message.endswith(f"in `value > 1` (test_capture_modes.py:{asks.__code__.co_firstlineno + 1}); {mode.remedy}")
    assert ("capture_mode='ast'" in message) is (mode is TraceMode)
