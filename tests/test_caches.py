"""Every cache of the program is listed in one table, has a bound, and keeps to it when it is filled."""

import ast
import gc
import importlib
import itertools
import re
import warnings
import weakref
from contextlib import suppress
from functools import cache

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, jit, nn, ops
from minigraph.accel import array_layouts, array_vjps, fast_dispatch, fast_methods
from minigraph.compilation import entry_table
from minigraph.compilation.entry_table import EntryTable
from minigraph.core import context, location, types
from minigraph.core.errors import MinigraphError
from minigraph.core.op import Op
from minigraph.core.processes import SerialExecutor
from minigraph.core.seams import is_available
from minigraph.core.tensor import eager
from minigraph.execute import idle_buffers
from minigraph.nn import scope
from minigraph.operators import regions
from minigraph.train import DataParallel, remote_execution
from minigraph.translate import source
from passes import rule
from passes.rewrite import replacement
from passes.rewrite.driver import apply_rules
from tests.structure import ROOT, modules
from viz.dump import stage_index

TEXT = (ROOT / "minigraph" / "RELIABILITY.md").read_text("utf-8").partition("\n## Saved files")[0]
# an empty container: `{}`, `dict[str, int]()`, `defaultdict(list)`
EMPTY = re.compile(
    r"\{\}|\[\]|(\w+\.)?((dict|list|set|Weak\w+|deque|OrderedDict|Counter|IdleBuffers|WeakTable)(\[.*\])?\(\)|defaultdict(\[.*\])?\(\w*\))"
)
CONTAINER = re.compile(r"(dict|list|set|deque|OrderedDict|defaultdict|UserDict|Weak\w+)\b")  # a base of a class
LRU = ("lru_cache", "functools.lru_cache")
# caches in an object, which no scan of assignments finds; each is filled below, or in the tests of its module
IN_OBJECTS = {
    ("minigraph.compilation.entry_table", "EntryTable"), ("minigraph.compilation.disk_cache", "compile_cache_path"),
    ("minigraph.accel.fast_methods", "calls"), ("passes.rewrite.replacement", "plans"),
    ("minigraph.core.autodiff.custom_gradient", "self._cotangents"), ("minigraph.core.pytree", "Leaf"),
}  # fmt: skip


def rows():
    """The rows of the tables: (module, cache) -> bound."""
    cells = [[cell.strip() for cell in line.strip("| \n").split(" | ")] for line in TEXT.splitlines() if "| `" in line]
    return {(cell[0].strip("`"), name): cell[3] for cell in cells for name in re.findall("`([^`]+)`", cell[1])}


def listed_caches():
    """The names in the paragraphs: (module, name)."""
    named = re.findall(r"`([a-z_.]+):\s([^`]+)`", TEXT)
    return {(module, name.strip()) for module, names in named for name in names.split(",")}


@cache
def decorated_functions():
    """The functions with a cache: (module, name) -> its maxsize as written, ``None`` for ``@cache``."""
    caches = {}
    for module in modules():
        for node in module.nodes(ast.FunctionDef, ast.Call):
            if isinstance(node, ast.FunctionDef):
                for decorator in node.decorator_list:
                    name, _, size = ast.unparse(decorator).partition("(")
                    if name in (*LRU, "cache", "functools.cache"):
                        caches[module.name, node.name] = size.partition("=")[2].rstrip(")").partition(",")[0] or None
                        assert size or not node.args.args or node.name == "_accelerated_implementation", (
                            module.location(node)
                        )
            elif isinstance(node.func, ast.Call) and ast.unparse(node.func.func) in LRU:
                caches[module.name, ast.unparse(node.args[0])] = ast.unparse(node.func.keywords[0].value)
    return caches


def weak_tables():
    """The attributes of objects that are weak containers: (module, name)."""
    for module in modules():
        for node in module.nodes(ast.Assign, ast.AnnAssign):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if isinstance(target, ast.Attribute) and re.search(r"\bWeak\w+(\[.*\])?\(\)", ast.unparse(node)):
                yield module.name, ast.unparse(target)


def empty_globals(module):
    """The containers of a module or of a class in it that are empty when the module is imported."""
    classes = [statement for statement in module.tree.body if isinstance(statement, ast.ClassDef)]
    own = {f"{each.name}()" for each in classes if any(CONTAINER.match(ast.unparse(base)) for base in each.bases)}
    for statement in itertools.chain(module.tree.body, *(each.body for each in classes)):
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            value = ast.unparse(statement.value)
            assert not value.startswith(("cache(", "functools.cache(")), f"{module.name}: '{value}' has no bound"
            is_table = EMPTY.fullmatch(value) or value in own or value.startswith("LazyTable(")
            if is_table and ast.unparse(target) != "__all__":
                yield ast.unparse(target)


def test_the_table_names_every_cache_of_the_source():
    caches = (
        decorated_functions().keys()
        | {(module.name, name) for module in modules() for name in empty_globals(module)}
        | {*weak_tables()}
    )
    described = rows().keys() | listed_caches()
    assert sorted(caches - described) == []
    assert sorted(described - caches - IN_OBJECTS) == []


def test_every_cache_of_a_function_has_the_bound_of_the_table():
    """One without a bound takes no argument, or the name of a seam."""
    sized = {key: size for key, size in decorated_functions().items() if size is not None}
    bounds = {key: eval(size, vars(importlib.import_module(key[0]))) for key, size in sized.items()}  # may be a name
    table = rows()
    assert [(key, bound) for key, bound in bounds.items() if table.get(key) != str(bound)] == []


ENTRIES = "{0.MAX_KEYS} keys of {0.MAX_ENTRIES_PER_KEY} entries, {0.MAX_REASONS} reasons"
CONSTANTS = [
    (("minigraph.compilation.entry_table", "EntryTable"), ENTRIES, entry_table),
    (("minigraph.execute.idle_buffers", "IDLE_BUFFERS"), "{0.MAX_IDLE_BYTES} bytes", idle_buffers),
    (("minigraph.core.types", "_INTERNED"), "{0.MAX_KEPT_TYPES}", types),
    (("minigraph.core.tensor.eager", "KERNELS"), "{0.MAX_KERNELS}", eager),
    (("minigraph.core.context", "_interned_keys"), "{0.MAX_INTERNED_KEYS}", context),
    (("minigraph.core.location", "_cache"), "{0.MAX_LOCATIONS}", location),
    (("minigraph.core.location", "_warning_registries"), "{0.MAX_WARNINGS}", location),
    (("minigraph.accel.array_vjps", "ARRAY_VJPS"), "{0.MAX_CACHED_OPERATORS}", array_vjps),
    (("minigraph.train.remote_execution", "_programs"), "{0.MAX_CACHED_PROGRAMS}", remote_execution),
    (("passes.rewrite.replacement", "plans"), "{0.MAX_CACHED_PLANS}", replacement),
    (("viz.dump.stage_index", "_folders"), "{0.MAX_FOLDERS} folders of {0.MAX_COMPILATIONS} compilations", stage_index),
]  # fmt: skip


def test_the_table_has_the_constants_of_the_source():
    table = rows()
    assert [(key, table[key]) for key, text, module in CONSTANTS if table[key] != text.format(module)] == []


# ---- filled ------------------------------------------------------------------------------------------


# the caches that are no ``lru_cache`` -> the test that fills each
HERE = "test_caches.py"
FILLED_BY = {
    ("minigraph.compilation.entry_table", "EntryTable"):
        "compilation/test_entry_table.py::test_the_least_recently_used_shape_is_evicted",
    ("minigraph.execute.idle_buffers", "IDLE_BUFFERS"):
        "execute/test_idle_buffers.py::test_buffers_of_programs_that_allocated_first_are_released",
    ("minigraph.operators.regions", "_programs"): f"{HERE}::test_a_body_has_one_program_for_each_of_the_last_settings",
    ("minigraph.nn.scope", "_call_counts"): f"{HERE}::test_what_is_kept_with_an_object_goes_with_it",
    ("minigraph.translate.source", "_translations"):
        f"{HERE}::test_code_that_is_dropped_is_freed_with_its_translation",
    ("minigraph.translate.source", "_generated"): f"{HERE}::test_code_that_is_dropped_is_freed_with_its_translation",
    ("minigraph.translate.source", "_unsupported"): f"{HERE}::test_code_that_is_dropped_is_freed_with_its_translation",
    ("minigraph.translate.syntax_trees", "_trees"): f"{HERE}::test_code_that_is_dropped_is_freed_with_its_translation",
    ("minigraph.compilation.jit", "self._compared"): f"{HERE}::test_what_is_kept_with_an_object_goes_with_it",
    ("minigraph.train.data_parallel", "self._sent"): f"{HERE}::test_what_is_kept_with_an_object_goes_with_it",
    ("minigraph.train.remote_execution", "_programs"): f"{HERE}::test_programs_of_a_worker_are_bounded",
    ("minigraph.compilation.disk_cache", "compile_cache_path"):
        "compilation/test_disk_cache.py::test_the_oldest_entries_and_abandoned_files_are_removed",
    ("minigraph.core.types", "_INTERNED"): f"{HERE}::test_types_beyond_the_bound_are_one_object_while_they_are_used",
    ("minigraph.core.types", "_WEAKLY_INTERNED"):
        f"{HERE}::test_types_beyond_the_bound_are_one_object_while_they_are_used",
    ("minigraph.core.tensor.eager", "KERNELS"): f"{HERE}::test_kernels_of_operators_are_bounded",
    ("minigraph.core.context", "_interned_keys"): f"{HERE}::test_settings_are_one_object_and_bounded",
    ("minigraph.accel.array_layouts", "_layouts"): f"{HERE}::test_caches_of_the_accelerator_are_bounded",
    ("minigraph.accel.array_vjps", "ARRAY_VJPS"): f"{HERE}::test_gradients_of_ever_new_operators_are_bounded",
    ("minigraph.accel.fast_dispatch", "_caches"): f"{HERE}::test_caches_of_the_accelerator_are_bounded",
    ("minigraph.accel.fast_methods", "calls"): f"{HERE}::test_caches_of_the_accelerator_are_bounded",
    ("minigraph.core.location", "_cache"): f"{HERE}::test_locations_and_warnings_are_bounded",
    ("minigraph.core.location", "_warning_registries"): f"{HERE}::test_locations_and_warnings_are_bounded",
    ("minigraph.core.bytecode", "_instructions"): f"{HERE}::test_code_that_is_dropped_is_freed_with_its_translation",
    ("minigraph.capture.names_in_code", "_names_in_code"):
        f"{HERE}::test_code_that_is_dropped_is_freed_with_its_translation",
    ("passes.rewrite.replacement", "plans"): f"{HERE}::test_plans_of_a_rule_are_bounded",
    ("viz.dump.stage_index", "_folders"):
        "viz/dump/test_stage_index.py::test_the_oldest_compilations_are_left_to_their_files",
}  # fmt: skip


def test_every_cache_that_python_does_not_bound_is_filled_by_a_test():
    assert rows().keys() - decorated_functions().keys() == FILLED_BY.keys()
    for place in {*FILLED_BY.values()}:
        file, _, name = place.partition("::")
        assert f"\ndef {name}(" in (ROOT / "tests" / file).read_text("utf-8"), place


class Layer(nn.Cell):
    def construct(self, x):
        return x * 2.0


def test_what_is_kept_with_an_object_goes_with_it():
    mark = Tensor([1.0])
    space = {"mark": mark}
    exec("def is_mark(x):\n    return x + 1.0 if x is mark else x", space)
    compared = jit(space["is_mark"])
    assert compared(Tensor([1.0])).tolist() == [1.0]
    net = nn.WithLossCell(nn.Dense(2, 1), nn.MSELoss())
    parallel = DataParallel(net, nn.SGD(net.trainable_params(), 0.1), SerialExecutor(), 2)
    for rows_of_a_shard in (1, 2, 3):
        parallel(ops.ones((2 * rows_of_a_shard, 2)), ops.ones((2 * rows_of_a_shard, 1)))
    for size in (1, 2, 3):
        ms.trace(Layer(), ops.ones(size))
    assert len(compared._compared) > 0 and len(parallel._sent) == 3
    del mark, space["mark"]
    compared._entries, parallel._gradients._entries = EntryTable(), EntryTable()
    for fn in (compared, parallel._gradients):
        fn._latest = fn._newest = None
    gc.collect()
    assert (len(compared._compared), len(parallel._sent), len(scope._call_counts)) == (0, 0, 0)


def test_types_beyond_the_bound_are_one_object_while_they_are_used(monkeypatch):
    monkeypatch.setattr(types, "_INTERNED", {})
    monkeypatch.setattr(types, "MAX_KEPT_TYPES", 10)
    kept = [types.TensorType((k, 17), types.float32) for k in range(30)]
    assert len(types._INTERNED) == 10
    assert all(types.TensorType((k, 17), types.float32) is kept[k] for k in range(30))
    assert all(types.type_of(np.empty((k, 17), np.float32)) is kept[k] for k in range(30))
    further = [weakref.ref(type) for type in kept[10:]]
    del kept
    gc.collect()
    assert not any(reference() for reference in further)
    assert len(types._INTERNED) == 10


def test_settings_are_one_object_and_bounded(monkeypatch):
    monkeypatch.setattr(context, "_interned_keys", {})
    monkeypatch.setattr(context, "MAX_INTERNED_KEYS", 5)
    fn = jit(lambda x: x + 1)
    for k in range(20):
        ms.set_context(pipeline="dce," * (k % 10) + "cse")
        assert fn(Tensor([1.0])).tolist() == [2.0]
        assert len(context._interned_keys) <= 5
    assert fn.cache_info().misses == 10, "a setting that comes back is the same key"


def test_kernels_of_operators_are_bounded(monkeypatch):
    monkeypatch.setattr(eager, "MAX_KERNELS", 10)
    ms.set_context(accel=False)
    before, sizes, dtypes = dict(eager.KERNELS), [], (ms.float32, ms.float64, ms.int32, ms.int64)
    eager.KERNELS.clear()
    try:
        for op, left, right in itertools.product((ops.add, ops.mul, ops.maximum), dtypes, dtypes):
            assert op(Tensor([3], left), Tensor([3], right)).asnumpy() in (3, 6, 9)
            sizes.append(len(eager.KERNELS))
    finally:
        eager.KERNELS.clear()
        eager.KERNELS.update(before)
    assert max(sizes) == 10 and min(sizes[10:]) < 10, "it was filled, and emptied"


def test_locations_and_warnings_are_bounded(monkeypatch):
    monkeypatch.setattr(location, "_cache", {})
    monkeypatch.setattr(location, "_warning_registries", {})
    monkeypatch.setattr(location, "MAX_LOCATIONS", 10)
    monkeypatch.setattr(location, "MAX_WARNINGS", 10)
    for k in range(40):
        space = {"location": location}
        code = f"def warn():\n    location.warn('text {k}', UserWarning)\n    location.warn('more {k}', UserWarning)"
        exec(compile(code, f"file {k % 15}.py", "exec"), space)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            space["warn"]()
        assert len(location._cache) <= 10
        assert len(location._warning_registries) <= 10
        assert all(len(registry) <= 11 for registry in location._warning_registries.values())


def looping(size):
    def fn(x):
        while x.sum() < 10:
            x = x * 2.0
        return x

    assert jit(fn)(Tensor([1.0] * size)).sum() >= 10


@pytest.mark.parametrize("accel", [True, False])
def test_programs_of_loops_are_freed_with_their_function(accel, monkeypatch):
    ms.set_context(accel=accel)
    programs, compiled = [], regions.compile_graph

    def compile_graph(graph):
        programs.append(weakref.ref(program := compiled(graph)))
        return program

    monkeypatch.setattr(regions, "compile_graph", compile_graph)
    for size in range(1, 8):
        looping(size)
    gc.collect()
    assert len(programs) >= 14
    assert not any(program() for program in programs)


def test_a_body_has_one_program_for_each_of_the_last_settings(monkeypatch):
    monkeypatch.setattr(regions, "MAX_PROGRAMS_PER_BODY", 3)
    body = ms.trace(lambda x: x * 2.0, Tensor([1.0]))
    for threads in range(1, 8):
        ms.set_context(runtime_num_threads=threads)
        program = regions.program_of(body)
        assert regions.program_of(body) is program
        assert len(regions._programs[body]) == min(threads, 3)
    assert program in regions._programs[body].values()


TRANSLATED = """
def as_written(x):
    return x + 1.0

def branch(x):
    if x.sum() > 0:
        x = x + 1.0
    return x

def unsupported(x):
    if x.sum() > 0:
        del x
    return 1.0
"""


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
def test_code_that_is_dropped_is_freed_with_its_translation(tmp_path):
    references = []
    for k in range(4):
        file, space = tmp_path / f"net{k}.py", {}
        file.write_text(TRANSLATED)
        exec(compile(TRANSLATED, str(file) if k % 2 else "<nowhere>", "exec"), space)
        for name in ("as_written", "branch", "unsupported"):
            with suppress(MinigraphError, RuntimeError):
                jit(space[name])(Tensor([1.0]))
            references.append(weakref.ref(space[name].__code__))
    del space
    location._cache.clear()  # bounded, but keeps code
    gc.collect()
    assert [reference() for reference in references if reference()] == []
    assert not any(code.co_filename.startswith(str(tmp_path)) for code in source._translations)


def test_programs_of_a_worker_are_bounded():
    before = dict(remote_execution._programs)
    for k in range(remote_execution.MAX_CACHED_PROGRAMS + 5):
        graph = ms.trace(lambda x, k=k: x + k, Tensor([1.0]))
        remote_execution.run_graph(f"digest {k}", str(graph), [np.ones(1, np.float32)])
    assert len(remote_execution._programs) == remote_execution.MAX_CACHED_PROGRAMS
    remote_execution._programs.clear()
    remote_execution._programs.update(before)


def test_plans_of_a_rule_are_bounded(monkeypatch):
    monkeypatch.setattr(replacement, "MAX_CACHED_PLANS", 3)
    monkeypatch.setattr(replacement.Template, "__init__", counted := Counted(replacement.Template.__init__))
    sum_rule = rule(lambda x: (x + x, x * 2.0))
    for size in range(1, 9):
        graph = ms.trace(lambda x: x + x, ops.ones(size))
        apply_rules(graph, [sum_rule])
        assert "mul" in str(graph)
    assert counted.largest == 3


class Counted:
    """An ``__init__`` that remembers its objects."""

    def __init__(self, init):
        self.init, self.objects = init, []

    def __get__(self, owner, kind=None):
        return lambda *args, **kwargs: (self.objects.append(owner), self.init(owner, *args, **kwargs))[1]

    @property
    def largest(self):
        """The number of plans of the template with most of them."""
        return max(len(template.plans) for template in self.objects)


@pytest.mark.skipif(not is_available(), reason="without the accelerator")
def test_gradients_of_ever_new_operators_are_bounded(monkeypatch):
    monkeypatch.setattr(array_vjps, "MAX_CACHED_OPERATORS", 10)
    before, sizes = dict(array_vjps.ARRAY_VJPS), []
    array_vjps.ARRAY_VJPS.clear()
    for _ in range(25):
        op = Op("ever_new", lambda x: x * 2, lambda x: x, vjp=(lambda g, out, x: g * 2.0,))
        assert ms.grad(lambda x, op=op: op(x).sum())(Tensor([1.0, 2.0])).tolist() == [2.0, 2.0]
        sizes.append(len(array_vjps.ARRAY_VJPS))
    array_vjps.ARRAY_VJPS.update(before)
    assert max(sizes) == 10 and min(sizes[10:]) < 10, "it was filled, and emptied"


@pytest.mark.skipif(not is_available(), reason="without the accelerator")
def test_caches_of_the_accelerator_are_bounded(monkeypatch):
    monkeypatch.setattr(array_layouts, "MAX_LAYOUTS", 20)
    monkeypatch.setattr(fast_dispatch, "MAX_CACHED_LAYOUTS", 20)
    monkeypatch.setattr(fast_methods, "MAX_CACHED_CALLS", 20)
    fast_dispatch.clear_fast_paths()
    array_layouts._layouts.clear()
    for size in range(1, 60):
        x = ops.ones(size)
        assert (ops.tanh(x) + x * x.reshape(1, -1)).sum() > 0
        assert (x - Tensor(1.0)).sum() == 0
        for k in range(min(size, 5)):
            assert x[k : k + 1].sum() == 1
    assert len(array_layouts._layouts) <= 20
    assert max(len(paths) for paths in fast_dispatch._caches) <= 20
    nested = [paths for paths in fast_dispatch._caches if any(isinstance(path, dict) for path in paths.values())]
    assert max(sum(map(len, paths.values())) for paths in nested) <= 20
    cells = {name: value.cell_contents for name, value in zip(
        Tensor.__getitem__.__code__.co_freevars, Tensor.__getitem__.__closure__ or (), strict=True)}  # fmt: skip
    if "calls" in cells:
        assert sum(map(len, cells["calls"].values())) <= 20
