"""``ms.export`` and ``ms.load`` write and read ONNX files, under the name of MindSpore's format, too."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import nn
from tests.tables import error_cases


@pytest.mark.parametrize("form", ["ONNX", "MINDIR"])
def test_a_file_that_was_exported_loads(tmp_path, form):
    pytest.importorskip("onnx")
    net, x = nn.Dense(3, 2), ms.Tensor(np.ones((4, 3), np.float32))
    ms.export(net, x, file_name=str(tmp_path / "net"), file_format=form)
    loaded = nn.GraphCell(ms.load(str(tmp_path / f"net.{form.lower()}")))
    np.testing.assert_allclose(loaded(x).asnumpy(), net(x).asnumpy(), rtol=1e-6)


test_errors = error_cases(
    (lambda: ms.export(nn.ReLU(), file_name="net", file_format="AIR"), ValueError, "use file_format='ONNX'"),
    (lambda: ms.export(nn.ReLU(), file_name="net", file_format="PB"), ValueError, "must be one of"),
)
