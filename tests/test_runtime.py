"""``ms.runtime``: calls without effect."""

import pytest

import minigraph as ms


def test_launch_blocking_is_a_setting_and_there_is_nothing_to_wait_for_to_free_or_to_stream():
    assert ms.get_context("pynative_synchronize") is False
    ms.runtime.launch_blocking()
    assert ms.get_context("pynative_synchronize") is True
    x = ms.Tensor([1.0, 2.0]) + 1
    ms.runtime.synchronize()
    ms.runtime.empty_cache()
    assert x.tolist() == [2.0, 3.0]
    with pytest.raises(AttributeError, match=r"mindspore\.runtime\.Stream exists in MindSpore 2\.10 but is not"):
        ms.runtime.Stream()
