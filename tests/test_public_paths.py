"""Public import paths, independent of the modules that define the names."""

import importlib
import inspect
import subprocess
import sys

import pytest

import minigraph as ms
from minigraph import errors
from minigraph.core import errors as core_errors
from minigraph.core.errors import MinigraphError

MODULES = """
    minigraph minigraph.common minigraph.common.api minigraph.common.dtype minigraph.common.initializer
    minigraph.common.parameter minigraph.common.tensor minigraph.communication minigraph.context minigraph.dataset
    minigraph.dataset.audio minigraph.dataset.text minigraph.dataset.transforms minigraph.dataset.vision
    minigraph.errors minigraph.experimental minigraph.experimental.optim
    minigraph.experimental.optim.lr_scheduler minigraph.mindrecord minigraph.mint minigraph.mint.linalg
    minigraph.mint.nn minigraph.mint.nn.functional minigraph.mint.optim
    minigraph.mint.special minigraph.nn
    minigraph.numpy minigraph.op
    minigraph.ops minigraph.ops._grad.grad_base minigraph.ops._grad_experimental.grad_base minigraph.ops.composite
    minigraph.ops.functional minigraph.ops.operations minigraph.ops.primitive minigraph.ops.vm_impl_registry
    minigraph.npu minigraph.runtime minigraph.train minigraph.train.callback minigraph.train.serialization
    minigraph.types passes viz
"""
NAMES = {
    "minigraph": "Tensor Parameter jit grad value_and_grad trace interpret set_context Graph simulate Model vmap",
    "minigraph.op": "Op Sample apply define op_named record_on EachOperand",
    "minigraph.types": "TensorType DType float32",
    "minigraph.context": "set_context get_context GRAPH_MODE PYNATIVE_MODE ParallelMode",
    "minigraph.nn": "Cell Dense Conv2d SGD Adam",
    "passes": "rule fuse graph_pass explain_match check PASSES RULES DEFAULT Pipeline",
    "viz": "dot diff timeline explorer save svg",
}


@pytest.mark.parametrize("path", MODULES.split())
def test_a_module_can_be_imported(path: str) -> None:
    try:
        importlib.import_module(path)
    except ModuleNotFoundError:  # a path of MindSpore's that is an attribute, not a file
        package, _, name = path.rpartition(".")
        assert hasattr(importlib.import_module(package), name)


IMPORT_IN_ANY_ORDER = """
import importlib, os, random, sys
import networkx, numpy

paths, names = sys.argv[1].split(), sys.argv[2].split()
random.Random(0).shuffle(paths)
for start, first in enumerate(paths):
    if os.fork() == 0:
        try:
            for path in (first, *random.Random(start).sample(paths, 3)):
                package, _, name = path.rpartition(".")
                try:
                    importlib.import_module(path)
                except ModuleNotFoundError:
                    getattr(importlib.import_module(package), name)
            import minigraph as ms
            random.Random(start).shuffle(names)
            missing = [name for name in names if not hasattr(ms, name)]
            assert not missing and ms.jit(lambda x: x + 1)(ms.Tensor(1)).item() == 2, missing
            os._exit(0)
        except BaseException as error:
            print(first, repr(error), flush=True)
            os._exit(1)
    os.wait()
"""


def test_any_path_may_be_the_first() -> None:
    """Each path is imported first in a new process, then some other paths, then the names of ``ms``."""
    arguments = [sys.executable, "-c", IMPORT_IN_ANY_ORDER, MODULES, NAMES["minigraph"]]
    process = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert (process.stdout, process.stderr) == ("", "")


def test_a_star_brings_every_public_name() -> None:
    space: dict[str, object] = {}
    exec("from minigraph import *", space)
    assert set(ms.__all__) <= set(space) and set(ms.__all__) <= set(dir(ms))
    assert space["jit"] is ms.jit and inspect.isfunction(ms.jit) and inspect.ismodule(ms.nn)


@pytest.mark.parametrize("path", NAMES)
def test_public_names_exist(path: str) -> None:
    module = importlib.import_module(path)
    assert not [name for name in NAMES[path].split() if not hasattr(module, name)]


def test_errors_carry_the_module_that_users_import_them_from() -> None:
    kinds = [kind for kind in vars(core_errors).values() if isinstance(kind, type) and issubclass(kind, MinigraphError)]
    assert {kind.__module__ for kind in kinds[1:]} == {"minigraph.errors"}
    assert ms.errors is errors
