"""Run cases in one library and write its answers to a file; works in any interpreter that has numpy.

``python -m tests.differential.worker LIBRARY CASES ANSWERS`` reads cases (JSON) and appends one line per case
and mode, so that the answers before a crash are kept.
"""

import base64
import importlib
import importlib.util
import json
import os
import re
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from tests.differential.case import Case, array_of

MODES = ("pynative", "jit", "gradient", "jit gradient")
UNUSABLE_PROCESS = 3  # exit code of a process that a failed case left unusable; a new process continues
MAX_TEXT_CHARACTERS = 160  # characters kept of an error's first line

HEADER = """
import numpy as np
import {library} as ms
import {library}.numpy as mnp
from {library} import Parameter, ParameterTuple, Tensor, dataset, mint, nn, ops, train
from {library}.dataset import audio, text, transforms, vision
from {library}.experimental import optim
"""
FUNCTION = """
{name}_weights = None
def {name}({params}):
{body}
def {name}_grad({params_and}sens):
    return ms.grad({name}, {positions}, {name}_weights, False, False, True)({params_and}sens)
def {name}_seeded({params}):
    return ms.grad({name}, {positions}, {name}_weights)({params})
"""


# ---- programs --------------------------------------------------------------------------------------


def program_of(cases, library):
    """The source of a module with functions for every case, for modes that read source code."""
    return HEADER.format(library=library) + "".join(_function(f"case{i}", case) for i, case in enumerate(cases))


def _function(name, case):
    params = ", ".join(name for name, _ in case.inputs)
    source = case.source if "return" in case.source else f"return {case.source}"
    for defined in case.setup_names:
        source = re.sub(rf"\b{defined}\b", f"{name}_{defined}", source)
    body = "\n".join(f"    {line}" for line in source.splitlines())
    parts = {"params": params, "params_and": f"{params}, " if params else "", "positions": case.float_positions or None}
    return FUNCTION.format(name=name, body=body, **parts)


def import_cases(cases, library, folder):
    """The module of ``program_of``, from a file in ``folder``."""
    path = Path(folder) / f"cases_{library}_{abs(hash(cases[0].key))}.py"
    path.write_text(program_of(cases, library))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


class Programs:
    """The cases of one module: ``answer(index, mode)``."""

    def __init__(self, cases, library, folder):
        self.cases = cases
        self.module = import_cases(cases, library, folder)
        self.ms = self.module.ms
        self.is_unusable = False  # whether calls that cannot fail fail permanently
        self.pynative_results = {}  # by case, for the initial cotangents

    def answer(self, index, mode):
        """The answer of one mode as JSON data; ``None`` if the mode does not apply."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return encode(self._value(index, mode))
            except NotApplicable:
                return None
            except Exception as error:
                self._retry_until_working()
                return error_of(error)

    def _retry_until_working(self):
        """Repeat a call that cannot fail until it works: a pending error of MindSpore may be raised by a later call."""
        checks = [self._is_working() for _ in range(10)]
        self.is_unusable = not all(checks[-2:])

    def _is_working(self):
        try:
            (self.ms.grad(lambda x: x[0] + 1)(self.ms.Tensor([[1.0, 2.0]]))[0] + 1).asnumpy()
        except Exception:
            return False
        return True

    def _value(self, index, mode):
        case, name = self.cases[index], f"case{index}"
        if case.pynative_only and mode != "pynative":
            raise NotApplicable
        weights = self._new_weights(case, name)
        inputs = [self.ms.Tensor(array_of(*item)) for item in case.inputs]
        if mode == "pynative":
            self.pynative_results.pop(index, None)
            value = getattr(self.module, name)(*inputs)
            self.pynative_results[index] = value
            return value
        if mode == "jit":
            return self.ms.jit(getattr(self.module, name))(*inputs)
        sens = self._seed(index)
        if sens is None or not case.gradient or not (case.float_positions or weights):
            raise NotApplicable
        function = getattr(self.module, f"{name}_seeded" if sens is ONES else f"{name}_grad")
        operands = inputs if sens is ONES else [*inputs, sens]
        return (self.ms.jit(function) if mode == "jit gradient" else function)(*operands)

    def _new_weights(self, case, name):
        """Fresh layers for every call, with parameters that depend on their names only; the trainable ones."""
        if not case.setup:
            return ()
        space = {"ms": self.ms, "nn": self.module.nn, "ops": self.module.ops, "Tensor": self.ms.Tensor,
                 "Parameter": self.ms.Parameter, "np": np}  # fmt: skip
        exec(case.setup, space)
        for item in case.setup_names:
            setattr(self.module, f"{name}_{item}", space[item])
        net = space["net"]
        for parameter in net.get_parameters() if hasattr(net, "get_parameters") else ():
            fill(self.ms, parameter)
        weights = tuple(net.trainable_params()) if hasattr(net, "trainable_params") else ()
        setattr(self.module, f"{name}_weights", weights or None)
        return weights

    def _seed(self, index):
        """The initial cotangent: numbers of the output's type, ones for several outputs, none without floats."""
        out = self.pynative_results.get(index)
        if isinstance(out, tuple | list):
            return ONES if any(_is_float(item) for item in out) else None
        if not _is_float(out):
            return None
        values = array_of("sens", f"f64[{','.join(map(str, out.shape))}] normal")
        return self.ms.Tensor(values.astype(np.dtype(str(out.dtype).lower())))


ONES = object()


class NotApplicable(Exception):
    """A mode that does not apply to a case."""


def _is_float(value):
    return str(getattr(value, "dtype", "")) in ("Float16", "Float32", "Float64")


def fill(ms, parameter):
    """Set a float parameter to numbers that depend on its name and shape only."""
    if not _is_float(parameter):
        return
    kind = "positive" if parameter.name.rpartition(".")[2] in ("variance", "moving_variance", "gamma") else "normal"
    values = array_of(parameter.name, f"f32[{','.join(map(str, parameter.shape))}] {kind}") * 0.5
    parameter.set_data(ms.Tensor(values, parameter.dtype))


# ---- answers ---------------------------------------------------------------------------------------


def encode(value):
    """A result as JSON data: tensors as dtype, shape and bytes; containers and Python values by their type."""
    if hasattr(value, "asnumpy"):
        return _encode_tensor(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        return {"ndarray": [str(value.dtype), list(value.shape), _bytes(value)]}
    if isinstance(value, tuple | list):
        return {type(value).__name__ if type(value) in (tuple, list) else "tuple": [encode(item) for item in value]}
    if value is None or isinstance(value, bool | int | float | str):
        kind = "float" if isinstance(value, float) else type(value).__name__  # a scalar of numpy is a float, too
        return {"python": [kind, value]}
    return {"object": str(value)[:MAX_TEXT_CHARACTERS]}


def _encode_tensor(value):
    array = value.asnumpy()
    if array.dtype.kind not in "biufc":
        return {"object": f"a tensor of {value.dtype}"}
    return {"tensor": [str(value.dtype), list(value.shape), _bytes(array)]}


def _bytes(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def error_of(error):
    """An error as JSON data: the names of its class and its base classes, and the first line of its text."""
    lines = (line.strip() for line in str(error).splitlines())
    line = next((line for line in lines if line.strip("-") and not line.startswith("- ")), "")
    return {"error": [kind.__name__ for kind in type(error).__mro__[:-2]], "text": line[:MAX_TEXT_CHARACTERS]}


# ---- as a program of its own -----------------------------------------------------------------------


def configure(library):
    """Set up a library to raise errors at the operator that fails."""
    ms = importlib.import_module(library)
    if library == "mindspore":
        ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU", pynative_synchronize=True)
    return ms


def main(library, cases_file, answers_file, start):
    """Answer every case in every mode from line ``start`` on, one line each; a line announces the next case."""
    cases = [Case(group, source, tuple(map(tuple, inputs)), *rest)
             for group, source, inputs, *rest in json.loads(Path(cases_file).read_text())]  # fmt: skip
    configure(library)
    with tempfile.TemporaryDirectory() as folder, open(answers_file, "a", encoding="utf-8") as out:
        programs = Programs(cases, library, folder)
        for step in range(start, len(cases) * len(MODES)):
            index, mode = step // len(MODES), MODES[step % len(MODES)]
            if step == start and mode.endswith("gradient"):  # after a crash: the gradient needs the result
                programs.answer(index, "pynative")
            out.write(json.dumps([step, programs.answer(index, mode)]) + "\n")
            out.flush()
            if programs.is_unusable:
                os._exit(UNUSABLE_PROCESS)
    os._exit(0)  # threads that hang must not keep the process


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]))
