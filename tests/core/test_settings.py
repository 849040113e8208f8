"""Every key of the context: its default is valid, and invalid values are refused with MindSpore's messages."""

import pytest

from minigraph.core import errors, settings
from minigraph.core.settings import (
    KEYS,
    absolute_path,
    choice_check,
    compose,
    minimum_check,
    save_graphs_level,
    type_check,
)
from tests.tables import cases, error_cases, error_of

TYPED = {key: type(default) for key, (default, _) in KEYS.items() if type(default) in (bool, int, dict)}


@pytest.mark.parametrize("key", KEYS)
def test_every_default_is_valid_and_another_type_is_refused(key):
    default, check = KEYS[key]
    assert check(default) == default
    if key in TYPED:
        with pytest.raises(errors.MinigraphError, match=key) as caught:
            check(object())
        assert isinstance(caught.value, TypeError)


@cases(
    ("mode", 2, "should be context.GRAPH_MODE (0) or context.PYNATIVE_MODE (1), but got 2."),
    ("mode", None, "should be context.GRAPH_MODE (0) or context.PYNATIVE_MODE (1), but got None."),
    ("device_target", "cpu", "must be one of ['CPU', 'GPU', 'Ascend', 'Davinci'], but got cpu."),
    ("device_id", 4096, "the argument 'device_id' must be in range [0, 4095], but got 4096."),
    ("device_id", -1, "the argument 'device_id' must be in range [0, 4095], but got -1."),
    ("max_call_depth", 0, "the argument 'max_call_depth' must be greater than 0, but got 0."),
    ("runtime_num_threads", -1, "The num of thread must bigger than or equal to 0."),
    ("inter_op_parallel_num", -1, "The num of parallel thread must bigger than or equal to 0."),
    ("op_timeout", -1, "The num of op exe timeout must bigger than or equal to 0."),
    ("save_graphs_path", "", "is invalid type, it should be Non-empty string, but got ''."),
    ("deterministic", "on", "the argument 'deterministic' must be one of ['ON', 'OFF'], but got on."),
    ("exec_order", 3, "the argument 'exec_order' must be one of ['bfs', 'dfs'], but got 3."),
    ("memory_optimize_level", "O2", "must be one of ['O0', 'O1'], but got O2."),
    ("jit_syntax_level", 5, "For 'jit_syntax_level', the value should be context.STRICT or context.LAX, but got 5."),
    ("debug_level", 5, "For 'debug_level', the value should be context.DEBUG or context.RELEASE, but got 5."),
    ("aoe_tune_mode", "x", "the argument 'aoe_tune_mode' must be in ['online', 'offline'], but got x."),
    ("max_device_memory", "3", 'such as "5GB" or "3.5GB", but got 3.'),
    ("mempool_block_size", "0GB", 'such as "5GB" or "3.5GB", but got 0GB.'),
    ("jit_config", {"jit_level": "O9"}, "value of argument jit_level must be one of ['O0', 'O1', 'O2'], but got O9."),
    ("jit_config", {"exc_mode": "auto"}, "one of {'jit_level': ['O0', 'O1', 'O2'], 'infer_boost': ['on', 'off']}, but"),
    ("aoe_config", {"job_type": "9"}, "the value of argument job_type must be one of ['1', '2'], but got 9."),
    ("ascend_config", {"jit_compile": 3}, "the value of argument jit_compile must be one of [True, False], but got 3."),
    ("ascend_config", {"bogus": 3}, "the key of argument 'ascend_config' must be one of ('precision_mode', 'jit_comp"),
    ("gpu_config", {"conv_fprop_algo": "x"}, "the value of argument conv_fprop_algo must be one of ['normal'"),
)
def test_a_wrong_value_is_refused_with_mindspores_message(key, wrong, message):
    assert message in error_of(KEYS[key][1], wrong, error=ValueError)


GE_OPTIONS = "type of argument ge_options must be one of .*dict.*, but got <class 'int'>"
CHOICE_CHECK = compose(type_check("n", int), choice_check("n", (1, 2)))
MINIMUM_CHECK = minimum_check(1, "n", "{} is too small")
test_checks_are_combined = error_cases(
    (lambda: CHOICE_CHECK("2"), TypeError, "The parameter 'n' must be <class 'int'>, but got <class 'str'>"),
    (lambda: CHOICE_CHECK(3), ValueError, r"the argument 'n' must be one of \[1, 2\], but got 3\."),
    (lambda: MINIMUM_CHECK(0), ValueError, "0 is too small"),
    (lambda: save_graphs_level(1.0), TypeError, r"must be \(<class 'bool'>, <class 'int'>\), but got <class 'float'>"),
    (lambda: absolute_path(3), TypeError, "save_graphs_path"),
    (lambda: KEYS["ascend_config"][1]({"ge_options": 3}), TypeError, GE_OPTIONS),
)


def test_unknown_keys_are_absent():
    assert not {*settings.IGNORED, *settings.REMOVED} & set(KEYS)
    assert set(settings.ENVIRONMENT) <= set(KEYS)
    assert (CHOICE_CHECK(2), MINIMUM_CHECK(True)) == (2, 1)
