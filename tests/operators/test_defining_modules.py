"""Operators are defined in the module from which they are imported lazily."""

from pathlib import Path

import minigraph
from minigraph.core.op import TABLE
from minigraph.operators.defining_modules import OPERATORS_BY_MODULE

ROOT = Path(minigraph.__file__).parents[1]


def test_every_operator_is_defined_in_the_module_that_is_imported_for_it():
    origins = {name: Path(op.origin.rpartition(":")[0]) for name, op in TABLE.items()}
    ours = {name: path.relative_to(ROOT) for name, path in origins.items() if ROOT / "minigraph" in path.parents}
    listed = {name: module for module, names in OPERATORS_BY_MODULE.items() for name in names.split()}
    assert listed == {name: ".".join(path.with_suffix("").parts) for name, path in ours.items()}
    assert list(listed) == list(TABLE)[: len(listed)]
