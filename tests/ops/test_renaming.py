"""Functions of ``mint`` under MindSpore's argument names."""

from types import SimpleNamespace

from minigraph.ops.renaming import functions, rename_parameters


def test_arguments_have_the_new_names_and_keep_their_own() -> None:
    def function(x: int, axis: int, *, dtype: str = "a") -> tuple[int, int, str]:
        return x, axis, dtype

    call = rename_parameters(function, "input dim")
    assert call(input=1, dim=2, dtype="b") == call(1, 2, dtype="b") == call(x=1, axis=2, dtype="b") == (1, 2, "b")


def test_a_row_names_several_functions() -> None:
    source = SimpleNamespace(first=lambda x: x, second=lambda x: -x, third=lambda x: 0)
    table = functions(source, "first second: input\nthird")
    assert list(table) == ["first", "second", "third"] and table["second"](input=1) == -1
