"""Parsing values: the values that the writer printed, with their types."""

import numpy as np
import pytest

from minigraph.core.errors import ParseError
from minigraph.ir.records import Literal
from minigraph.ir.scanner import Scanner, unpacked
from minigraph.ir.values import Writer, exact
from tests.ir.test_values import DISTINCT


@pytest.mark.parametrize("value", DISTINCT, ids=repr)
def test_values_are_parsed_exactly(value: object) -> None:
    scanner = Scanner(Writer().value(value), "here")
    assert exact(scanner.value()) == exact(value)
    assert scanner.at == len(scanner.text)


def test_a_list_may_end_in_a_comma_but_needs_its_closing_bracket() -> None:
    assert Scanner("(1, 2,)", "here").value() == (1, 2)
    with pytest.raises(ParseError, match=r"here: expected '\)' after a tuple"):
        Scanner("(1 2)", "here").value()


def test_packed_literals_are_validated_before_they_are_decoded() -> None:
    writer = Writer()
    writer.literal(Literal(np.arange(20)))
    line = list(writer.trailer())[1].strip()
    assert unpacked(Scanner(line, "here"))[1].array.tolist() == list(range(20))
    other_sizes = [line.replace("i64[20]", f"i64[{size}]") for size in (19, 21)]
    for wrong in (*other_sizes, line[:-9] + "A" * 9, line[:-8]):
        with pytest.raises(ParseError, match="here: the data of a literal"):
            unpacked(Scanner(wrong, "here"))
