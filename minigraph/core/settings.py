"""The settings of a process: every key of ``set_context``, its default and the check of its values.

A check returns the value to store, or raises MindSpore's error before anything changes. Keys for hardware or
files that minigraph does not have are checked and stored, so that programs which set them run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError

GRAPH_MODE, PYNATIVE_MODE = 0, 1
STRICT, COMPATIBLE, LAX = 0, 1, 2
RELEASE, DEBUG = 0, 1
MAX_DEVICE_ID = 4095
DEVICES = ("CPU", "Ascend")
DEVICE_TARGETS = ("CPU", "GPU", "Ascend", "Davinci")  # as in MindSpore
SET = "For 'context.set_context', the"
SYNTAX_LEVEL_ERROR = "For '{0}', the value should be context.STRICT or context.LAX"
DEBUG_LEVEL_ERROR = "For '{0}', the value should be context.DEBUG or context.RELEASE"

Check = Callable[[Any], Any]


# ---- checks ----------------------------------------------------------------------------------------


def type_check(name: str, *kinds: type) -> Check:
    """A check of the type.

    >>> type_check("check_bprop", bool)(3)
    Traceback (most recent call last):
    minigraph.errors.ArgTypeError: The parameter 'check_bprop' must be <class 'bool'>, but got <class 'int'>
    """

    def check(value: object) -> Any:
        if not isinstance(value, kinds):
            expected = kinds[0] if len(kinds) == 1 else kinds
            raise ArgTypeError(f"The parameter '{name}' must be {expected}, but got {type(value)}")
        return value

    return check


def compose(first: Check, second: Check) -> Check:
    """Two checks in sequence."""
    return lambda value: second(first(value))


def choice_check(
    name: str, choices: tuple[object, ...], message: str = SET + " argument '{0}' must be one of {1}"
) -> Check:
    """A check that a value is one of ``choices``; ``message`` is formatted with the name and the choices.

    >>> choice_check("exec_order", ("bfs", "dfs"))("dfs")
    'dfs'
    """

    def check(value: object) -> Any:
        if value not in choices:
            raise ArgValueError(f"{message.format(name, list(choices))}, but got {value}.")
        return value

    return check


def minimum_check(least: int, name: str, message: str) -> Check:
    """A check of an integer against a minimum; ``message`` is formatted with the value."""

    def check(value: int) -> int:
        if value < least:
            raise ArgValueError(message.format(value))
        return int(value)

    return compose(type_check(name, int), check)


def _mode(value: object) -> int:
    if value is not None and not isinstance(value, int):
        type_check("mode", int)(value)
    if value not in (GRAPH_MODE, PYNATIVE_MODE):
        modes = "context.GRAPH_MODE (0) or context.PYNATIVE_MODE (1)"
        raise ArgValueError(f"{SET} argument 'mode' should be {modes}, but got {value}.")
    return int(value)


def _device_target(value: object) -> str:
    target = choice_check("device_target", DEVICE_TARGETS)(
        value if value is None else type_check("device_target", str)(value)
    )
    if target not in DEVICES:
        unsupported = f"Unsupported device target {target}. This process only supports one of the {list(DEVICES)}."
        raise ArgRuntimeError(f"{unsupported} Choose 'Ascend' for the NPU that is simulated.")
    return target


def _device_id(value: object) -> int:
    if not 0 <= (number := type_check("device_id", int)(value)) <= MAX_DEVICE_ID:
        raise ArgValueError(f"{SET} argument 'device_id' must be in range [0, {MAX_DEVICE_ID}], but got {value}.")
    return int(number)


def save_graphs_level(value: object) -> int:
    """The level of graph dumps, 0 to 3, of a number or a bool (``True`` is 2)."""
    level = 2 * value if isinstance(value, bool) else type_check("save_graphs", bool, int)(value)
    if level not in (0, 1, 2, 3):
        raise ArgValueError(f"value for save_graphs should be 0-3 but got '{value}'")
    return int(level)


def absolute_path(value: object) -> str:
    """The absolute path of a string or ``Path``; raises ``ValueError`` for an empty one."""
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if path is None or type_check("save_graphs_path", str)(path) == "":
        text = "'save_graphs_path' or the 'print_file_path' is invalid type, it should be Non-empty string"
        raise ArgValueError(f"{SET} {text}, but got '{path}'.")
    return os.path.abspath(str(path))


def _gigabytes(name: str) -> Check:
    def check(value: str) -> str:
        if not re.fullmatch(r"\d+(\.\d*)?GB", value) or float(value[:-2]) == 0:
            raise ArgValueError(
                f"{SET} argument '{name}' should be in correct format! It must be a number above 0 and 'GB', "
                f'such as "5GB" or "3.5GB", but got {value}.'
            )
        return value

    return compose(type_check(name, str), check)


def _config(name: str, choices: Mapping[str, tuple[object, ...] | type]) -> Check:
    """A check of a dict: known keys, each with one of its choices or a value of its type."""

    def check(value: dict[str, Any]) -> dict[str, Any]:
        for key, item in value.items():
            if key not in choices:
                message = f"{SET} key of argument '{name}' must be one of {_choices_text(choices)}, but got {key}."
                raise ArgValueError(message)
            allowed = choices[key]
            if isinstance(allowed, type):
                if not isinstance(item, allowed):
                    message = f"the type of argument {key} must be one of {(allowed,)}, but got {type(item)}."
                    raise ArgTypeError(f"For '{name}', {message}")
            else:
                choice_check(key, allowed, f"For '{name}', the value of argument {{0}} must be one of {{1}}")(item)
        return dict(value)

    return compose(type_check(name, dict), check)


def _choices_text(choices: Mapping[str, tuple[object, ...] | type]) -> dict[str, list[object]] | tuple[str, ...]:
    lists = {key: list(allowed) for key, allowed in choices.items() if isinstance(allowed, tuple)}
    return lists if len(lists) == len(choices) else tuple(choices)


def _accept_any(value: object) -> object:
    return value


def _parse_flag(text: str) -> bool:
    """A boolean environment variable, "0" or "1"."""
    if text not in ("0", "1"):
        raise ArgValueError(f"value should be 0 or 1 but got '{text}'")
    return text == "1"


def _pipeline(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value  # a hashable part of cache keys


JIT_CONFIG = {"jit_level": ("O0", "O1", "O2"), "infer_boost": ("on", "off")}
ASCEND_CONFIG: dict[str, tuple[object, ...] | type] = {
    "precision_mode": (
        "force_fp16", "allow_fp32_to_fp16", "allow_mix_precision", "must_keep_origin_dtype", "force_fp32",
        "allow_fp32_to_bf16", "allow_mix_precision_fp16", "allow_mix_precision_bf16",
    ),
    "jit_compile": (True, False), "atomic_clean_policy": (0, 1), "matmul_allow_hf32": (True, False),
    "conv_allow_hf32": (True, False), "op_precision_mode": str, "ge_options": dict, "op_debug_option": str,
    "host_scheduling_max_threshold": int, "hccl_watchdog": (True, False), "topo_order": dict,
    "parallel_speed_up_json_path": str,
}  # fmt: skip
CONVOLUTIONS = ("normal", "performance", "fft", "fft_tiling", "winograd", "winograd_nonfused")
GPU_CONFIG: dict[str, tuple[object, ...] | type] = {
    "conv_fprop_algo": (*CONVOLUTIONS, "implicit_gemm", "precomp_gemm", "gemm", "direct"),
    "conv_dgrad_algo": (*CONVOLUTIONS, "algo_0", "algo_1"),
    "conv_wgrad_algo": (*CONVOLUTIONS, "algo_0", "algo_1", "algo_3"),
    "conv_allow_tf32": (True, False), "matmul_allow_tf32": (True, False),
}  # fmt: skip


# ---- the keys --------------------------------------------------------------------------------------

# key -> (default, check)
KEYS: dict[str, tuple[object, Check]] = {
    "mode": (PYNATIVE_MODE, _mode),
    "device_target": ("CPU", _device_target),
    "device_id": (0, _device_id),
    "pipeline": ("default", _pipeline),
    "pass_manager": ("passes:as_pipeline", _accept_any),
    "validate": (False, type_check("validate", bool)),
    "chip": ("ascend910b1", _accept_any),
    "simulator": ("minigraph.npu:simulate", _accept_any),
    "save_graphs": (0, save_graphs_level),
    "save_graphs_path": (os.path.abspath(".") if os.stat(".").st_nlink else ".", absolute_path),  # 0: it was removed
    "graph_dump": ("viz:save_stages", _accept_any),
    "enable_graph_kernel": (False, type_check("enable_graph_kernel", bool)),
    "jit_config": ({}, _config("jit_config", JIT_CONFIG)),
    "enable_compile_cache": (False, type_check("enable_compile_cache", bool)),
    "compile_cache_path": ("", type_check("compile_cache_path", str)),
    "accel": (True, type_check("accel", bool)),
    "nondifferentiable": ("warn", choice_check("nondifferentiable", ("warn", "error"))),
    "kernel_backend": ("auto", choice_check("kernel_backend", ("auto", "numba", "numpy"))),
}

# The keys below are MindSpore's: checked and stored, without effect.
KEYS |= {
    "jit_syntax_level": (
        LAX,
        compose(
            type_check("jit_syntax_level", int),
            choice_check("jit_syntax_level", (STRICT, COMPATIBLE, LAX), SYNTAX_LEVEL_ERROR),
        ),
    ),
    "debug_level": (
        RELEASE,
        compose(type_check("debug_level", int), choice_check("debug_level", (RELEASE, DEBUG), DEBUG_LEVEL_ERROR)),
    ),
    "deterministic": ("OFF", compose(type_check("deterministic", str), choice_check("deterministic", ("ON", "OFF")))),
    "exec_order": ("bfs", choice_check("exec_order", ("bfs", "dfs"))),
    "memory_optimize_level": ("O0", choice_check("memory_optimize_level", ("O0", "O1"))),
    "aoe_tune_mode": (
        "online",
        choice_check("aoe_tune_mode", ("online", "offline"), SET + " argument '{0}' must be in {1}"),
    ),
    "aoe_config": ({}, _config("aoe_config", {"job_type": ("1", "2")})),
    "ascend_config": ({}, _config("ascend_config", ASCEND_CONFIG)),
    "gpu_config": ({}, _config("gpu_config", GPU_CONFIG)),
    "max_device_memory": ("1024GB", _gigabytes("max_device_memory")),
    "mempool_block_size": ("1GB", _gigabytes("mempool_block_size")),
    "variable_memory_max_size": ("31GB", _gigabytes("variable_memory_max_size")),
    "max_call_depth": (
        1000,
        minimum_check(1, "max_call_depth", SET + " argument 'max_call_depth' must be greater than 0, but got {}."),
    ),
}
_COUNT_KEYS = {
    "runtime_num_threads": (os.cpu_count() or 1, "thread"), "inter_op_parallel_num": (0, "parallel thread"),
    "op_timeout": (900, "op exe timeout"),
}  # fmt: skip
KEYS |= {
    name: (default, minimum_check(0, name, f"The num of {what} must bigger than or equal to 0."))
    for name, (default, what) in _COUNT_KEYS.items()
}
_TYPED_KEYS: dict[str, Any] = {
    "pynative_synchronize": False,  # every error names its operator anyway
    "check_bprop": False,
    "disable_format_transform": False,
    "enable_profiling": False,
    "enable_reduce_precision": True,
    "reserve_class_name_in_scope": True,
    "support_binary": False,
    "env_config_path": "",
    "graph_kernel_flags": "",
    "jit_level": "",
    "print_file_path": "",
    "profiling_options": "training_trace",
}
KEYS |= {name: (default, type_check(name, type(default))) for name, default in _TYPED_KEYS.items()}

# ---- other keys ------------------------------------------------------------------------------------

IGNORED = ("auto_tune_mode", "enable_auto_mixed_precision", "enable_sparse")  # MindSpore accepts them without effect
REMOVED = {"grad_for_scalar": "tensor derivative", "precompile_only": "env MS_DEV_PRECOMPILE_ONLY"}


def _parse_level(text: str) -> int:
    if not text.isdecimal():
        raise ArgValueError(f"value for save_graphs should be 0-3 but got '{text}'")
    return save_graphs_level(int(text))


# key -> the environment variable that overrides it, and the parser of its text
ENVIRONMENT: dict[str, tuple[str, Check]] = {
    "pipeline": ("MINIGRAPH_PIPELINE", _pipeline),
    "validate": ("MINIGRAPH_VALIDATE", _parse_flag),
    "save_graphs": ("MS_DEV_SAVE_GRAPHS", _parse_level),
    "save_graphs_path": ("MS_DEV_SAVE_GRAPHS_PATH", absolute_path),
}
