import linecache

import numpy as np
import pytest

from minigraph import Tensor
from minigraph.core.definitions import definition_site, may_redefine, source_location
from minigraph.core.errors import DuplicateNameError
from minigraph.core.op import TABLE, Op, define, op_named
from minigraph.operators.families import elementwise
from passes import PASSES, graph_pass

CELL = """
op = elementwise("typed", lambda x: x * {factor}, vjp=(lambda g, out, x: g * {factor},), lanes=("simple",), into=False,
                 doc="Times a number.")
"""
PASS = """
@graph_pass
def typed_pass(graph):
    \"\"\"Does {what}.\"\"\"
"""


def run(text, name, **known):
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"elementwise": elementwise, "graph_pass": graph_pass, **known}
    exec(compile(text, name, "exec"), names)
    return names


def test_a_definition_site_is_in_the_users_program():
    here = definition_site()
    assert here.startswith(f"{__file__}:") and here != definition_site()
    op = elementwise("placed", np.negative, vjp=(None,), lanes=("simple",), into=False, doc="Minus.")
    assert op.origin.startswith(f"{__file__}:")
    assert source_location(run).startswith(f"{__file__}:") and source_location(np.exp) == ""


def test_a_notebook_cell_that_is_run_again_redefines_operators_and_passes():
    for factor, name in ((2, "11"), (2, "11"), (3, "22")):
        changed = run(CELL.format(factor=factor), f"/nowhere/ipykernel_1/{name}.py")["op"]
    assert op_named("typed") is changed and changed(Tensor([2.0])).asnumpy().tolist() == [6.0]
    for what, name in (("little", "<cell 1>"), ("nothing", "<cell 2>")):
        run(PASS.format(what=what), name)
    assert PASSES["typed_pass"].__doc__ == "Does nothing."


def test_a_definition_in_a_file_is_replaced_only_from_the_same_location():
    with pytest.raises(DuplicateNameError, match="operator 'relu' is already defined at"):
        run(CELL.format(factor=2).replace("typed", "relu"), "<cell>")
    with pytest.raises(DuplicateNameError, match="pass 'cse' is already defined in"):
        run(PASS.format(what="harm").replace("typed_pass", "cse"), "<cell>")
    for factor in (1.0, 2.0):
        define(Op("again", lambda x, factor=factor: x * factor, lambda x: x))
    assert TABLE["again"].forward(3.0) == 6.0
    assert not may_redefine("", "") and not may_redefine(f"{__file__}:1", f"{__file__}:2")
