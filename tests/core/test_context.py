"""Settings: set atomically, with MindSpore's errors and late-bound names."""

import os
import sys
from functools import partial
from threading import Thread

import pytest

from minigraph import Tensor, jit, ops, trace
from minigraph.core import context
from minigraph.core.context import (
    COMPILE_KEY_SETTINGS,
    GRAPH_KERNEL,
    KEYS,
    STORED_SETTINGS,
    get_context,
    reset,
    resolve,
    set_context,
)
from minigraph.core.errors import MinigraphError, UnknownNameError
from minigraph.core.settings import IGNORED
from tests.rough.interrupts import count_instructions, interrupt
from tests.tables import cases, error_of


@pytest.mark.parametrize("key", KEYS)
def test_every_default_can_be_set_again_and_exists_where_it_is_late_bound(key):
    before = get_context(key)
    set_context(**{key: before})
    assert get_context(key) == before
    assert ":" not in str(KEYS[key][0]) or callable(resolve(before))
    assert (get_context("mode"), get_context("device_target"), get_context("device_id")) == (1, "CPU", 0)


REFUSALS = [
    ({"mode": 3}, "ValueError: For 'context.set_context', the argument 'mode' should be context.GRAPH_MODE (0)"),
    ({"mode": "x"}, "TypeError: The parameter 'mode' must be <class 'int'>, but got <class 'str'>"),
    ({"device_target": "NPU"}, "ValueError: For 'context.set_context', the argument 'device_target' must be one of"),
    ({"save_graphs": 4}, "ValueError: value for save_graphs should be 0-3 but got '4'"),
    ({"bogus": 1}, "ValueError: For 'context.set_context', the keyword argument bogus is not recognized! help("),
    ({"mod": 1}, "ValueError: For 'context.set_context', the keyword argument mod is not recognized! Did you mean"),
    ({"precision_mode": 1}, "ValueError: Please set 'precision_mode' through parameter ascend_config"),
    ({"grad_for_scalar": True}, "ValueError: For 'context.set_context', the parameter 'grad_for_scalar' has been"),
    ({"pipeline": "dce,csee"}, "UnknownNameError: no pass 'csee'; did you mean 'cse'?"),
    ({"chip": "ascend910b9"}, "UnknownNameError: no chip 'ascend910b9'; did you mean"),
    ({"device_target": "GPU"}, "RuntimeError: Unsupported device target GPU. This"),
    ({"device_target": "Davinci"}, "RuntimeError: Unsupported device target Davinci. This"),
]


@pytest.mark.parametrize(("settings", "message"), REFUSALS, ids=[str(settings) for settings, _ in REFUSALS])
def test_refusals_change_nothing(settings, message):
    before = {key: get_context(key) for key in KEYS}
    text = error_of(partial(set_context, device_id=7, **settings), error=MinigraphError)
    assert text.startswith(message) and ("Unsupported" not in message or "'Ascend']. Choose 'Ascend'" in text)
    assert {key: get_context(key) for key in KEYS} == before


@pytest.mark.parametrize("key", [*IGNORED, "bogus"])
def test_keys_that_mindspore_ignores_have_no_effect_and_unknown_ones_raise_when_read(key):
    if key in IGNORED:
        set_context(**{key: True})
    with pytest.raises(ValueError, match=rf"For 'context\.get_context', the argument {key} is not recognized!"):
        get_context(key)
    with pytest.raises(ValueError, match=r"not recognized! Did you mean 'device_target'\?"):
        get_context("device_targe")


# ---- graph kernels -----------------------------------------------------------------------------------


def sqrt_exp(x):
    return ops.sqrt(ops.exp((x * 1 + 1) * 2)) + x


@cases(
    ({"enable_graph_kernel": True}, {"enable_graph_kernel": False}),
    ({"jit_config": {"jit_level": "O1"}}, {"jit_config": {"jit_level": "O0"}}),
)
def test_graph_kernels_are_a_pipeline(on, off):
    fn, x = jit(sqrt_exp), Tensor([1.0, 2.0])
    expected = fn(x).tolist()
    set_context(**on)
    assert get_context("pipeline") == GRAPH_KERNEL
    assert fn(x).tolist() == expected
    assert len(fn.cache_info().reasons) == 2
    assert [record.name for record in fn.records(x)].count("cse") > 1
    set_context(**off)
    assert get_context("pipeline") == "default"


def test_a_pipeline_of_the_users_own_stays():
    set_context(pipeline="dce")
    for settings, expected in (({}, "dce"), ({"pipeline": "cse,dce"}, "cse,dce")):
        set_context(enable_graph_kernel=True, **settings)
        assert get_context("pipeline") == expected


@pytest.mark.parametrize(("value", "expected"), [(True, 2), (False, 0), (1, 1), (2, 2), (3, 3), (0, 0)])
def test_save_graphs_is_a_level_and_its_path_absolute_until_reset(value, expected, tmp_path):
    set_context(save_graphs=value, save_graphs_path="./graphs", device_target="Ascend", chip="ascend910b4", mode=0)
    assert (get_context("save_graphs"), type(get_context("save_graphs"))) == (expected, int)
    assert get_context("save_graphs_path") == os.path.abspath("graphs")
    set_context(save_graphs_path=tmp_path / "graphs")
    assert get_context("save_graphs_path") == str(tmp_path / "graphs")
    context.reset()
    assert (get_context("mode"), get_context("device_target"), get_context("chip")) == (1, "CPU", KEYS["chip"][0])


# ---- late-bound names --------------------------------------------------------------------------------


@cases(
    ("no_such_module:x", UnknownNameError, "no module 'no_such_module' behind the late-bound name 'no_such_module:x'"),
    ("math:no_such", UnknownNameError, "module 'math' has no 'no_such', late-bound as 'math:no_such'"),
    ("needs_more:x", ModuleNotFoundError, "no_such_dependency"),
)
def test_an_unknown_late_bound_name_is_refused_and_a_missing_dependency_named(
    tmp_path, monkeypatch, name, error, message
):
    (tmp_path / "needs_more.py").write_text("import no_such_dependency\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(error, match=message) as caught:
        resolve(name)
    assert caught.value.__suppress_context__ or error is ModuleNotFoundError


def test_a_picture_that_cannot_be_drawn_is_none(monkeypatch):
    assert context.svg_of(trace(lambda x: x * x, Tensor(1.0))).startswith("<svg")
    monkeypatch.setitem(sys.modules, "viz", None)
    assert context.svg_of(object()) is None


# ---- the pass manager in the environment -------------------------------------------------------------


VALIDATE, SAVE = "MINIGRAPH_VALIDATE", "MS_DEV_SAVE_GRAPHS"


@cases(
    ("MINIGRAPH_PIPELINE", "lower_depend,dce", "pipeline", "lower_depend,dce"),
    ("MINIGRAPH_PIPELINE", "", "pipeline", "default"),
    (VALIDATE, "1", "validate", True),
    (VALIDATE, "yes", "validate", "MINIGRAPH_VALIDATE: value should be 0 or 1 but got 'yes'"),
    (SAVE, "3", "save_graphs", 3),
    (SAVE, "lots", "save_graphs", "MS_DEV_SAVE_GRAPHS: value for save_graphs should be 0-3 but got 'lots'"),
    (f"{SAVE}_PATH", "./dumps", "save_graphs_path", os.path.abspath("dumps")),
)
def test_environment_variables_override_settings(monkeypatch, variable, value, key, expected):
    assert get_context("validate") is False
    monkeypatch.setenv(variable, value)
    if value in ("yes", "lots"):
        with pytest.raises(ValueError, match=expected):
            get_context(key)
    else:
        assert get_context(key) == expected


def test_an_exception_at_any_instruction_changes_all_of_a_setting_or_nothing():
    """Compiled calls compare the values together, which are stored as well."""
    for at in range(count_instructions(lambda: set_context(pipeline="dce")) + 1):
        reset()
        interrupt(lambda: set_context(pipeline="dce"), at)
        compiled_for = dict(zip(COMPILE_KEY_SETTINGS, STORED_SETTINGS["compiled_for"], strict=True))
        assert compiled_for["pipeline"] == get_context("pipeline"), at


def test_threads_that_change_different_settings_leave_all_of_them():
    def change(values):
        for _ in range(300):
            for value in values:
                set_context(**value)

    choices = [[{"pipeline": "dce"}, {"pipeline": "default"}], [{"runtime_num_threads": 1}, {"runtime_num_threads": 2}]]
    threads, interval = [Thread(target=change, args=(values,)) for values in choices], sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(3):
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert STORED_SETTINGS["compiled_for"] == tuple(map(STORED_SETTINGS.get, COMPILE_KEY_SETTINGS))
            threads = [Thread(target=change, args=(values,)) for values in choices]
    finally:
        sys.setswitchinterval(interval)
