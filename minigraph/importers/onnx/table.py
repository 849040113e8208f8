"""The table of ONNX operators: each is at most three lines of our operators."""

from __future__ import annotations

from minigraph.importers.onnx import control_flow, elementwise, images, indexing, neural, quantization, shapes
from minigraph.importers.operator_table import OperatorTable

FAMILIES = (elementwise, shapes, indexing, neural, images, quantization, control_flow)
TABLE = OperatorTable("ONNX", {key: row for family in FAMILIES for key, row in family.ROWS.items()})
