"""The table of the functions of ``mint``."""

import inspect

from minigraph import mint
from minigraph.mint import function_table


def test_every_function_of_the_table_is_a_name_of_mint_with_a_signature() -> None:
    assert set(function_table.FUNCTIONS) < set(mint.__all__) <= set(dir(mint))
    assert all(inspect.signature(function).parameters for function in function_table.FUNCTIONS.values())


def test_arguments_have_mindspores_names() -> None:
    expected = {"sum": ["input", "dim", "keepdim"], "cat": ["tensors", "dim"], "mv": ["input", "vec"]}
    for name, names in expected.items():
        assert list(inspect.signature(getattr(mint, name)).parameters)[: len(names)] == names
