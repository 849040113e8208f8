"""Machine constants are positive numbers, each with a comment; the page of the architecture lists who reads them."""

import ast
import re
from pathlib import Path

from minigraph.core import machine
from tests.structure import ROOT, covers, modules, own_imports

ACCELERATED = ("minigraph.accel", "passes")  # read them freely
TUNED = re.compile(r"\bmeasured\b|\bfaster\b|\bas fast\b|\bpays\b")


def test_every_constant_is_a_number_and_has_its_source():
    values = {name: value for name, value in vars(machine).items() if name.isupper()}
    assert values and all(value > 0 for value in values.values())
    lines = Path(machine.__file__).read_text().splitlines()
    assert all("  # " in line for line in lines if line.partition(" = ")[0] in values)


def test_the_page_of_the_architecture_lists_the_readers():
    readers = {module.name for module in modules() if any(name == machine.__name__ for _, name in own_imports(module))}
    others = {name for name in readers if not any(covers(package, name) for package in ACCELERATED)}
    page = (ROOT / "minigraph" / "README.md").read_text("utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith("| reference |"))
    listed = re.findall(r"`(\w+/\w+)\.py`", row)
    assert others == {f"minigraph.{path.replace('/', '.')}" for path in listed} - {machine.__name__}


def test_no_other_module_has_a_tuned_constant():
    """A number whose comment says that it was measured, or is faster; those of simulated chips are the chips'."""
    found = [
        module.location(node)
        for module in modules(("minigraph", "passes"))
        for node in module.tree.body
        if module.name != machine.__name__ and not covers("minigraph.npu", module.name) and is_number(node)
        if TUNED.search(module.path.read_text("utf-8").splitlines()[node.lineno - 1].partition("#")[2])
    ]
    assert found == []


def is_number(node):
    """Whether a statement gives a name in capitals a number."""
    if not isinstance(node, ast.Assign) or not ast.unparse(node.targets[0]).isupper():
        return False
    return all(isinstance(part, ast.Constant | ast.BinOp | ast.operator) for part in ast.walk(node.value))
