"""The table of ONNX operators: each is at most three lines of our operators."""

from __future__ import annotations

from minigraph.importers.onnx import (
    control_flow,
    convolution,
    elementwise,
    images,
    indexing,
    normalization,
    pooling,
    quantization,
    shapes,
    signals,
)
from minigraph.importers.operator_table import OperatorTable

FAMILIES = (
    elementwise, shapes, indexing, convolution, pooling, normalization, images, signals, quantization, control_flow,
)  # fmt: skip
TABLE = OperatorTable("ONNX", {key: row for family in FAMILIES for key, row in family.CONVERTERS.items()})
