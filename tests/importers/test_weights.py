import numpy as np

from minigraph.importers.weights import constant, parameter


def test_arrays_are_shared_not_copied():
    array = np.ones(3, np.float32)
    assert np.shares_memory(parameter(array, "w").array, array) and np.shares_memory(constant(array).array, array)
    assert array.flags.writeable and not constant(array).array.flags.writeable


def test_a_name_may_be_any_text():
    assert [parameter(np.ones(1), name).name for name in ("a.b", "", "<b>\n")] == ["a.b", "unnamed", "<b>\n"]
