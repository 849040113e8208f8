import numpy as np
import pytest

import minigraph as ms
from minigraph.core.errors import ModelError
from minigraph.core.types import TensorType
from minigraph.importers.onnx.export_call import Call


def test_a_call_writes_nodes_and_constants():
    written = []
    call = Call(
        lambda kind, ins, attrs, count: written.append((kind, ins, attrs)) or ("r",) * count, ["a"],
        [TensorType((2,), ms.float32)], [], {}, lambda array: f"{array.dtype}:{array.tolist()}",
    )  # fmt: skip
    assert call("Relu", "a") == "r" and call.with_results("Split", 2, "a", axis=0) == ("r", "r")
    assert call.ints([1, 2]) == "int64:[1, 2]" and call.number(2) == "float32:2.0"
    assert call.cast("a", ms.float16) == "r"
    assert written == [("Relu", ("a",), {}), ("Split", ("a",), {"axis": 0}), ("Cast", ("a",), {"to": 10})]
    with pytest.raises(ModelError, match="tensors of complex64"):
        call.cast("a", ms.complex64)
    assert np.float32(2).dtype == np.float32
