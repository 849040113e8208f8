"""One VJP for any number of operands."""

from minigraph.core.op_fields import EachOperand


def test_each_operand_gets_the_function_with_its_position():
    assert EachOperand(lambda position, g, *ins: (position, g, ins)).vjp_at(1)(5, "x") == (1, 5, ("x",))
