"""The list of MindSpore's public names: which are supported, refused or missing."""

from typing import Any

import pytest

from tests.differential import list_names, names


@pytest.mark.parametrize(
    ("module", "name", "status"),
    [
        ("nn", "Dense", names.AGREES),
        ("Tensor", "asnumpy", names.EXISTS),
        ("ops", "AllReduce", names.REFUSED),
        ("ops", "no_such_name", names.NOT_YET),
        ("no_such_module", "x", names.NOT_YET),
    ],
)
def test_the_status_of_a_name(module: str, name: str, status: str) -> None:
    assert names.status(module, name, {"nn.Dense"}) == status


def test_every_module_of_the_list_has_names() -> None:
    listed = names.names_by_module()
    assert list(listed) == list(list_names.MODULES) and all(listed.values())


def test_a_name_without_a_kernel_for_a_cpu_is_marked() -> None:
    def example() -> None: ...

    example.__doc__ = "Supported Platforms:\n    ``Ascend``"
    assert list_names.mark("example", example) == "example!" and list_names.mark("one", 1) == "one"


def test_names_that_a_module_imports_are_not_its_own() -> None:
    values = {"mark": list_names.mark, "names": names.names_by_module, "Any": Any}
    assert list(list_names.defined_in("tests.differential.list_names", values)) == ["mark"]
