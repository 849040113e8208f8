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


def test_figures_of_memory_are_0_as_in_mindspore_on_a_cpu():
    figures = ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved")
    assert [getattr(ms.runtime, name)() for name in figures] == [0] * 4
    for name in ("max_memory_allocated", "max_memory_reserved"):
        assert getattr(ms, f"reset_{name}")() is None
    assert ms.reset_peak_memory_stats() is None
    assert ms.memory_stats()["common_mem_pool_stats"]["block_counts"] == 0
    lines = ms.memory_summary().splitlines()
    assert {len(line) for line in lines} == {47} and sum("0 B" in line for line in lines) == 6


def test_sizes_of_the_pool_are_checked():
    assert ms.runtime.set_memory(init_size="0.5GB", max_size="10GB", optimize_level="O1") is None
    for name, wrong in {"init_size": 3, "max_size": "3", "increase_size": "0GB", "optimize_level": "O5"}.items():
        with pytest.raises(TypeError if wrong == 3 else ValueError, match=name):
            ms.runtime.set_memory(**{name: wrong})
