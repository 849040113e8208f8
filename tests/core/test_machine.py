"""Machine constants are positive numbers, each with a comment."""

from pathlib import Path

from minigraph.core import machine


def test_every_constant_is_a_number_and_has_its_source():
    values = {name: value for name, value in vars(machine).items() if name.isupper()}
    assert values and all(value > 0 for value in values.values())
    lines = Path(machine.__file__).read_text().splitlines()
    assert all("  # " in line for line in lines if line.partition(" = ")[0] in values)
