"""Properties of the text of any program, reference or accelerated: no user text is compiled as code."""

import numpy as np

from minigraph import Parameter, Tensor
from minigraph.core.location import Loc
from minigraph.core.op import Op

X = Tensor([1.0, 2.0])
NAMES = ["run", "v0", "b1", "lambda", "a b", "\ufb01", "inputs", "mul_2", "__import__", "x\ny"]
EVIL = "w'); import os #\nraise SystemExit \x0c\u2028"


def lines(source):
    """The lines of steps."""
    return [line.strip() for line in source.text.splitlines() if "# " in line]


def check_hostile_names(plan_of, source_of):
    """Check that neither the name of a Parameter nor the name of a file is compiled as code."""
    weight = Parameter(Tensor([1.0]), name=EVIL)
    plan = plan_of(lambda x: x * weight, X)
    plan.steps[:] = [step._replace(loc=(Loc(EVIL, 3),), node="%1") for step in plan.steps]
    text = source_of(plan).text
    assert "import os" in text and text.isascii()
    assert len(text.splitlines()) == 5
    assert all(line.index("#") < line.index("import") for line in text.splitlines() if "import" in line)


def check_operator_name(name, plan_of, source_of):
    """Check that an operator of this name is called by a unique valid name."""
    op = Op("any", lambda x, out: np.add(x, 1, out), lambda x: x, vjp=(None,), into=True)
    object.__setattr__(op, "name", name)
    plan = plan_of(lambda x: -x * x, X)
    plan.steps[0] = plan.steps[0]._replace(op=op)
    source = source_of(plan)
    assert source.namespace["operator"] is op.forward
    assert source.functions()["run"]([X.array], (), [np.empty(2, np.float32)] * len(source.slots))


def check_buffers(source):
    """Check that the text of ``x * x + x`` computes in its buffers."""
    block = np.zeros(2, np.float32)
    assert source.functions()["run"]([X.array], (), [block])[0][0].tolist() == [2.0, 6.0]
    assert block.tolist() == [1.0, 4.0]
