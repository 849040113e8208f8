"""Parsing values: the values that the writer printed, with their types."""

import numpy as np
import pytest

from minigraph.core.errors import ParseError
from minigraph.ir.attribute_values import ValueWriter
from minigraph.ir.exact_keys import exact_key
from minigraph.ir.scanner import Scanner, parse_packed_literal
from minigraph.ir.structural_ops import Literal
from tests.ir.test_attribute_values import DISTINCT


@pytest.mark.parametrize("value", DISTINCT, ids=repr)
def test_values_are_parsed_exactly(value: object) -> None:
    scanner = Scanner(ValueWriter().value(value), "here")
    assert exact_key(scanner.value()) == exact_key(value)
    assert scanner.at == len(scanner.text)


def test_a_list_may_end_in_a_comma_but_needs_its_closing_bracket() -> None:
    assert Scanner("(1, 2,)", "here").value() == (1, 2)
    with pytest.raises(ParseError, match=r"here: expected '\)' after a tuple"):
        Scanner("(1 2)", "here").value()


def test_packed_literals_are_validated_before_they_are_decoded() -> None:
    writer = ValueWriter()
    writer.literal(Literal(np.arange(20)))
    line = list(writer.trailer())[1].strip()
    assert parse_packed_literal(Scanner(line, "here"))[1].array.tolist() == list(range(20))
    other_sizes = [line.replace("i64[20]", f"i64[{size}]") for size in (19, 21)]
    for wrong in (*other_sizes, line[:-9] + "A" * 9, line[:-8]):
        with pytest.raises(ParseError, match="here: the data of a literal"):
            parse_packed_literal(Scanner(wrong, "here"))
