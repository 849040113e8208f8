"""Work functions of common kinds of operators."""

from minigraph import float16, float32
from minigraph.core.op_fields import Work
from minigraph.core.types import TensorType
from minigraph.operators.work import copy_work, gather_work, lane_work, no_work, reduction_work, traffic

SQUARE, VECTOR, HALF = TensorType((4, 4), float32), TensorType((4,), float32), TensorType((4, 4), float16)


def test_traffic_and_lanes_are_counted_once_per_element():
    # traffic counts every operand and result once
    assert traffic((SQUARE, HALF), (HALF,)) == Work(read=32, written=96)
    # lanes are counted per element of the result
    assert lane_work("special", "simple", "simple")(VECTOR, VECTOR).lanes == (("simple", 8), ("special", 4))


def test_work_of_data_movement_and_reductions():
    # data movement
    assert no_work(SQUARE, SQUARE) == Work()
    assert copy_work(VECTOR, SQUARE) == Work(read=16, written=16)
    assert copy_work((VECTOR, VECTOR), SQUARE) == Work(read=32, written=32)
    assert gather_work(VECTOR, SQUARE) == Work(lanes=(("gather", 4),), read=64, written=16)
    # a reduction reads rows
    assert reduction_work(VECTOR, SQUARE) == Work(lanes=(("reduce", 16),), rows=(4, 4), read=64, written=16)
    assert reduction_work(TensorType((0,), float32), TensorType((0, 4), float32)).rows == (1, 0)
