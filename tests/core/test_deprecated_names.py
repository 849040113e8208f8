import pytest

import minigraph.npu.sweeps
import minigraph.op
from tests.tables import cases

RENAMED = [
    (minigraph.op, "computing_now", "is_eager"),
    (minigraph.op, "interpreting", "use_interpreter"),
    (minigraph.op, "listening", "record_on"),
    (minigraph.npu.sweeps, "Serial", "SerialExecutor"),
]


@cases(*RENAMED)
def test_an_old_name_works_and_names_the_new_one(module, old, new):
    with pytest.warns(DeprecationWarning, match=f"{module.__name__}.{old}: it is called {module.__name__}.{new} now"):
        assert getattr(module, old) is getattr(module, new)


def test_other_names_are_missing():
    with pytest.raises(AttributeError, match="has no attribute 'computing'"):
        minigraph.op.computing  # noqa: B018
