"""Missing names: names of MindSpore are marked, others get a suggestion; ``hasattr`` is cheap and silent."""

import copy
import importlib
import pickle
import re
import sys
from types import ModuleType

import pytest

import minigraph as ms
from minigraph import nn, ops
from minigraph.core import errors, missing_names
from minigraph.core.missing_names import (
    NAMES_FILE,
    REMEDIES,
    MissingAttribute,
    add_unsupported_methods,
    dotted_name,
    mindspore_exports,
    missing_name_getattr,
    missing_name_message,
)
from tests.inspection import run_program
from tests.tables import cases, error_of

MODULES_WITHOUT_MINDSPORE_NAMES = ("op", "npu")  # they have only the names that they define
MODULE_PATHS = (
    *(path for path in missing_names.SEARCHED_MODULES if path not in MODULES_WITHOUT_MINDSPORE_NAMES),
    "dataset.transforms",
    "dataset.vision",
)
MODULES = {name: importlib.import_module(dotted_name("minigraph", name)) for name in MODULE_PATHS}
each_module = pytest.mark.parametrize(("path", "module"), MODULES.items(), ids=str)


@pytest.mark.parametrize("package", [ops, nn, ms.numpy, ms.train])
def test_modules_of_a_package_whose_import_was_interrupted_are_found_when_it_is_imported_again(package, monkeypatch):
    name = next(name for name, value in vars(package).items() if name in ("functional", "cell", "creation", "model"))
    module = importlib.import_module(f"{package.__name__}.{name}")
    monkeypatch.delattr(package, name)
    assert sys.modules[module.__name__] is module
    space = {}
    exec(f"from {package.__name__} import {name}", space)
    assert space[name] is module


# ---- the list --------------------------------------------------------------------------------------


def test_the_list_of_names_is_sorted_and_narrow_and_complete():
    lines = NAMES_FILE.read_text("utf-8").splitlines()
    assert max(map(len, lines)) <= 120
    for section in "\n".join(lines).split("\n[")[1:]:
        names = section.partition("]")[2].split()
        assert names == sorted(set(names)), section[:20]
        assert all(name.isidentifier() and not name.startswith("_") for name in names)
    paths = "jit nn.Cell ops.matmul ops.MatMul Tensor.asnumpy numpy.linspace train.Model common.initializer.Normal"
    for path in paths.split():
        module, _, name = path.rpartition(".")
        assert name in mindspore_exports()[dotted_name("mindspore", module)], path


@each_module
def test_every_name_of_mindspore_is_here_or_refused_by_name(path, module):
    for name in mindspore_exports()[dotted_name("mindspore", path)]:
        if not hasattr(module, name):
            full_name = dotted_name("mindspore", path, name)
            message = f"{full_name} exists in MindSpore 2.10 but is not supported by minigraph"
            assert error_of(getattr, module, name, error=AttributeError).partition(": ")[2].startswith(message)


@pytest.mark.parametrize("path", REMEDIES)
def test_remedies_are_for_names_that_are_missing(path):
    module, _, name = path.rpartition(".")
    owner = getattr(ms, module) if module else ms
    assert REMEDIES[path] in error_of(getattr, owner, name, error=AttributeError)


# ---- messages --------------------------------------------------------------------------------------


@cases(
    (lambda: ops.sofmax, "minigraph.ops has no 'sofmax' in `ops.sofmax` (here); did you mean 'softmax'?"),
    (lambda: nn.matmul, "minigraph.nn has no 'matmul' in `nn.matmul` (here); it is minigraph.ops.matmul"),
    (lambda: ms.define, "minigraph has no 'define' in `ms.define` (here); it is minigraph.op.define"),
    (lambda: ms.fuse, "minigraph has no 'fuse' in `ms.fuse` (here); it is passes.fuse"),
    (lambda: ms.explorer, "minigraph has no 'explorer' in `ms.explorer` (here); it is viz.explorer"),
    (lambda: ms.zzz, "minigraph has no 'zzz' in `ms.zzz` (here); dir(minigraph) lists what is"),
    (lambda: ms.ms_function, "minigraph has no 'ms_function' in `ms.ms_function` (here); it was removed from"),
    (lambda: nn.Conv4d, "minigraph.nn has no 'Conv4d' in `nn.Conv4d` (here); did you mean 'Conv"),
)
def test_the_message_gives_the_name_the_line_and_the_remedy(access, expected):
    with pytest.raises(errors.MissingNameError) as caught:
        access()
    assert re.sub(r"test_missing_names\.py:\d+", "here", str(caught.value)).startswith(expected)
    assert "\n" not in str(caught.value)


def test_a_name_that_cannot_be_imported_is_explained_too():
    with pytest.raises(ImportError, match=r"minigraph\.nn has no 'Dnse' in `from .*; did you mean 'Dense'\?"):
        from minigraph.nn import Dnse  # noqa: F401, PLC0415
    with pytest.raises(ImportError, match=r"mindspore\.nn\.LARS exists in MindSpore 2\.10 but is not supported"):
        from minigraph.nn import LARS, Cell  # noqa: F401, PLC0415
    with pytest.raises(ImportError, match=r"minigraph\.numpy has no 'arrange'.*; did you mean 'arange'\?"):
        from minigraph.numpy import arrange  # noqa: F401, PLC0415
    with pytest.raises(ImportError, match=r"minigraph has no 'check_operator'.*; it is minigraph\.op\.check_operator"):
        from minigraph import check_operator  # noqa: F401, PLC0415


# ---- probing ---------------------------------------------------------------------------------------


@each_module
def test_hasattr_stays_cheap_and_silent(path, module, monkeypatch):
    monkeypatch.setattr(
        missing_names, "missing_name_message", lambda *args: pytest.fail("a message was built but not read")
    )
    assert not hasattr(module, "no_such_name")
    assert getattr(module, "no_such_name", None) is None
    for dunder in ("__wrapped__", "__path_of__", "__array__"):
        assert error_of(getattr, module, dunder).startswith("AttributeError: ")


def test_functions_can_be_copied_and_pickled_and_an_unlisted_module_has_the_names_of_its_parent():
    assert copy.copy(ops.gather) is ops.gather
    assert pickle.loads(pickle.dumps(nn.Dense)) is nn.Dense
    nope = "minigraph.ops.functional has no 'nope'; dir(ops.functional) lists what is"
    assert missing_name_message("ops.functional", "nope", []) == nope
    assert missing_name_message("ops.functional", "cholesky", []).startswith(
        "mindspore.ops.functional.cholesky exists in MindSpore"
    )


def test_the_names_of_a_module(monkeypatch):
    module = ModuleType("minigraph.for_test")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    module.correct, module.__getattr__ = 1, missing_name_getattr("for_test")
    with pytest.raises(AttributeError, match="did you mean 'correct'"):
        module.corect  # noqa: B018


# ---- classes ---------------------------------------------------------------------------------------


class TensorLike:
    def abs(self):
        return 1


def test_missing_methods_of_a_class_are_refused_by_name():
    add_unsupported_methods(TensorLike, "Tensor")
    assert TensorLike().abs() == 1
    assert isinstance(vars(TensorLike)["cholesky"], MissingAttribute)
    assert not hasattr(TensorLike, "cholesky")
    assert not hasattr(TensorLike(), "cholesky")
    with pytest.raises(AttributeError, match=r"mindspore\.Tensor\.cholesky exists in MindSpore 2\.10 but is not"):
        TensorLike().cholesky()
    with pytest.raises(AttributeError, match="'TensorLike' object has no attribute 'no_such_name'"):
        TensorLike().no_such_name()


def test_metrics_are_in_nn_too_also_if_it_is_imported_first():
    both = mindspore_exports()["mindspore.nn"] & set(dir(ms.train)) - set(dir(ms.nn))
    assert {"Accuracy", "F1", "Loss", "MAE", "Metric"} <= both
    assert all(getattr(ms.nn, name) is getattr(ms.train, name) for name in both)
    assert not hasattr(ms.nn, "TimeMonitor")  # nor does MindSpore's nn
    for first in ("minigraph.serialize", "minigraph.train", "minigraph.nn"):
        program = f"import {first}, minigraph\nfrom minigraph.nn import Accuracy, Dense\nprint(Accuracy.__module__)"
        assert run_program(program).startswith("minigraph.train"), first
