"""The table of ONNX operators: each is at most three lines of our operators."""

from __future__ import annotations

from minigraph.importers.onnx import elementwise, neural, shapes
from minigraph.importers.operator_table import OperatorTable

TABLE = OperatorTable("ONNX", {**elementwise.ROWS, **shapes.ROWS, **neural.ROWS})
