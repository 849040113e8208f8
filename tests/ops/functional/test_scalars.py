"""Functions of Python numbers, strings and tuples."""

from minigraph import Tensor, float64, int64, jit, ops
from minigraph import bool_ as boolean
from minigraph.ops.functional import scalars

NUMBERS = {
    "add": 9, "sub": 5, "mul": 14, "div": 3.5, "pow": 49, "mod": 1, "floordiv": 3, "eq": False, "ne": True,
    "lt": False, "le": False, "gt": True, "ge": True,
}  # fmt: skip


def test_numbers_strings_and_tuples():
    # numbers
    result = {name.removeprefix("scalar_") for name in scalars.__all__ if name.startswith("scalar_")}
    assert result == {*NUMBERS, "cast", "to_array", "uadd", "usub"}
    assert {name: getattr(ops, f"scalar_{name}")(7, 2) for name in NUMBERS} == NUMBERS
    assert (ops.scalar_uadd(7), ops.scalar_usub(7)) == (7, -7)
    assert [ops.scalar_cast(2.5, dtype) for dtype in (boolean, int64, float64)] == [True, 2, 2.5]
    assert ops.array_to_scalar(ops.scalar_to_array(3)) == 3
    # strings and tuples
    assert ops.string_concat("a", "b") == "ab"
    assert ops.string_eq("a", "a")
    assert ops.is_(None, None)
    assert ops.is_not(1, None)
    assert (ops.make_tuple(1, 2), ops.make_list(1, 2)) == ((1, 2), [1, 2])
    assert (ops.tuple_len((4, 5)), ops.tuple_getitem((4, 5), 1), ops.tuple_reversed((4, 5))) == (2, 5, (5, 4))


def test_isconstant_is_false_for_a_tensor_that_is_traced():
    def triple_if_traced(x):
        return x if ops.isconstant(x) else x * 3

    assert triple_if_traced(Tensor([1.0])).item() == 1
    assert jit(triple_if_traced)(Tensor([1.0])).item() == 3
