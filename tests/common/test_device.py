"""The functions that replace ``set_context``: the same settings, MindSpore's errors."""

import pytest

import minigraph as ms
from tests.tables import cases


def test_devices_determinism_and_depth_are_settings():
    # a device is a kind and a number
    assert ms.get_current_device() == ("CPU", 0)
    ms.set_device("Ascend", 3)
    assert ms.get_current_device() == ("Ascend", 3)
    assert (ms.get_context("device_target"), ms.get_context("device_id")) == ("Ascend", 3)
    ms.set_device("CPU")
    assert ms.get_current_device().device_id == 0
    # determinism and depth are settings
    ms.set_deterministic(True)
    ms.set_recursion_limit(80)
    assert (ms.get_context("deterministic"), ms.get_context("max_call_depth")) == ("ON", 80)
    ms.set_deterministic(False)
    ms.set_recursion_limit()
    assert (ms.get_context("deterministic"), ms.get_context("max_call_depth")) == ("OFF", 1000)


@cases(
    (lambda: ms.set_device("NPU"), ValueError, "argument 'device_target' must be one of .'CPU', 'GPU', 'Ascend'."),
    (lambda: ms.set_device(3), TypeError, "The parameter 'device_target' must be <class 'str'>, but got <class 'int'>"),
    (lambda: ms.set_device("CPU", "x"), TypeError, "The parameter 'device_id' must be <class 'int'>, but got"),
    (lambda: ms.set_device("CPU", -1), ValueError, r"The device id must bigger than or equal to 0\."),
    (lambda: ms.set_device("CPU", 5000), ValueError, r"must be in range \[0, 4095\], but got 5000\."),
    (lambda: ms.set_deterministic("ON"), TypeError, "The parameter 'deterministic' must be <class 'bool'>, but got"),
    (lambda: ms.set_recursion_limit(0), ValueError, "The input value must be int and must > 0, but got '0' with type"),
    (lambda: ms.set_recursion_limit("x"), TypeError, "must be <class 'int'>, but got <class 'str'>"),
)
def test_errors_change_nothing(call, kind, text):
    before = ms.get_current_device()
    with pytest.raises(kind, match=text):
        call()
    assert ms.get_current_device() == before


def test_a_check_multiplies_and_prints(capsys):
    ms.run_check()
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith(ms.__version__) and second.endswith("has been installed on platform [CPU] successfully!")
