import ast
import builtins
import os
import subprocess
import sys
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest

from minigraph.core.errors import UnknownNameError
from minigraph.core.lazy import LazyTable, attach, cached_property, resolve
from tests.inspection import fork_while_held, run_program
from tests.structure import ROOT, is_for_type_checkers, modules

LAZY = [m for m in modules() if m.is_init and any(map(is_for_type_checkers, m.tree.body))]
NAMES = {module.name for module in modules()}


# ---- names -----------------------------------------------------------------------------------------


def name_lists(package):
    """The (module, name) pairs for type checkers, the attached pairs, and ``__all__``."""
    (type_checking_branch,) = filter(is_for_type_checkers, package.tree.body)
    typed = {(node.module, alias.name) for node in type_checking_branch.body for alias in node.names}
    (call,) = (node.value for node in type_checking_branch.orelse)
    attached = ast.literal_eval(call.args[1]).items()
    (public,) = (ast.literal_eval(n.value) for n in package.tree.body if ast.unparse(n).startswith("__all__ = "))
    return typed, {(module or package.name, name) for module, names in attached for name in names.split()}, public


@pytest.mark.parametrize("package", LAZY, ids=lambda package: package.name)
def test_both_lists_of_a_lazy_package_agree_and_no_module_hides_a_name(package):
    typed, attached, public = name_lists(package)
    assert typed == attached
    assert len(public) == len(set(public)) and set(public) <= {name for _, name in typed}
    pairs_of_modules = {(module, name) for module, name in attached if f"{package.name}.{name}" in NAMES}
    assert all(module == package.name for module, _ in pairs_of_modules)
    assert [package.name for package in LAZY] == ["minigraph", "passes", "viz"]


@pytest.fixture
def package(monkeypatch):
    package = ModuleType("lazy_for_test")
    monkeypatch.setitem(sys.modules, package.__name__, package)
    package.__getattr__, package.__dir__ = attach("lazy_for_test", {"math": "sqrt floor", "gone": "away"})
    return package


def test_a_name_is_imported_at_first_access_and_unknown_names_raise(package):
    assert "sqrt" not in vars(package) and "sqrt" in dir(package)
    assert package.sqrt(9.0) == 3.0 and "sqrt" in vars(package)
    assert "floor" not in vars(package) and not hasattr(package, "__wrapped__")
    with pytest.raises(AttributeError, match="module 'lazy_for_test' has no attribute 'sqr'"):
        package.sqr  # noqa: B018
    with pytest.raises(UnknownNameError, match="no module 'gone'"):
        package.away  # noqa: B018
    package.__getattr__, _ = attach("lazy_for_test", {}, missing="math:sqrt")
    with pytest.raises(TypeError, match="must be real number"):  # the last name is resolved
        package.sqr  # noqa: B018
    assert not hasattr(package, "__wrapped__")


def test_an_import_in_the_middle_of_a_trace_is_not_traced():
    program = """
        import minigraph as ms
        from minigraph.capture.trace import trace
        graph = trace(lambda x: x.cumsum(0) + ms.ops.conv2d.__name__.count("v"), ms.Tensor([1.0]))
        print([str(graph.op(node)) for node in graph.topological()])
    """
    assert run_program(program) == "['input', 'cumsum', 'const', 'add']"


# ---- tables ----------------------------------------------------------------------------------------


@pytest.fixture
def table(monkeypatch, tmp_path):
    (tmp_path / "enters.py").write_text("import here\nseen = here.table.get_registered('one')\nhere.table['one'] = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    here = ModuleType("here")
    here.table = LazyTable({"enters": "one never", "math:pi": "pi"})
    monkeypatch.setitem(sys.modules, "here", here)
    yield here.table
    sys.modules.pop("enters", None)


def test_an_entry_is_imported_at_first_access(table):
    assert list(table) == ["one", "never", "pi"] and len(table) == 3 and "one" in table and not table.data
    assert table["one"] == 1 and table.data == {"one": 1} and table.get("pi", 0) > 3
    assert sys.modules["enters"].seen is None  # while it is being imported there is no entry yet


def test_unregistered_and_removed_names_are_not_listed_and_built_in_names_come_first(table):
    for name in ("never", "nope"):
        with pytest.raises(KeyError):
            table[name]
    assert table.get_registered("nope") is None and "nope" not in table
    assert table.pop("one") == 1 and "one" not in table and list(table) == ["never", "pi"]
    table["pi"] = 3
    del table["pi"]
    assert "pi" not in table
    assert resolve("math").sqrt is resolve("math:sqrt")
    table = LazyTable({"math:pi": "pi", "math:e": "e"})
    table["mine"] = 0
    assert table["e"] and list(table.items())[2] == ("mine", 0) and list(table.data) == ["mine", "e", "pi"]


TAKEN_NAMES = [
    ("from minigraph.core.op import Op, define; define(Op('cumsum', abs, abs))", "operator 'cumsum' is already"),
    ("import passes; passes.graph_pass('cse')(lambda graph: None)", "pass 'cse' is already defined in passes."),
    ("import passes; passes.add_rules('conv', ())", "rules 'conv' are already registered"),
]


@pytest.mark.parametrize(("definition", "refusal"), TAKEN_NAMES)
def test_names_not_imported_yet_cannot_be_redefined(definition, refusal):
    assert run_program(f"try:\n    {definition}\nexcept ValueError as error:\n    print(error)").startswith(refusal)


# ---- imported modules ------------------------------------------------------------------------------


def imported_modules(program):
    """Our own modules that a program imports."""
    listing = "import sys; print(*sorted(m for m in sys.modules if m.split('.')[0] in ('minigraph', 'passes', 'viz')))"
    return run_program(f"{program}\n{listing}").split()


def test_the_packages_alone_import_nearly_nothing_and_one_pass_not_all_others():
    lazily = "minigraph minigraph.core minigraph.core.errors minigraph.core.lazy passes viz"
    assert imported_modules("import minigraph, passes, viz") == lazily.split()
    passes = imported_modules("from passes.optimize.dce import dce")
    assert [name for name in passes if name.startswith("passes.optimize")] == ["passes.optimize", "passes.optimize.dce"]
    program = "import sys, minigraph as ms\nms.Tensor, ms.jit, ms.nn\nprint('networkx' in sys.modules)"
    assert run_program(program) == "False", "it comes with the first graph"


# ---- files of the user with the name of a package -----------------------------------------------------------

HIDING = {
    "a jitted call": ("passes", "import minigraph as ms\nms.jit(lambda x: x + 1)(ms.Tensor([1.0]))"),
    "the file itself": ("passes", ""),
    "a picture": ("viz", "from minigraph.core.context import resolve\nresolve('viz:svg')"),
    "a module of the package": ("viz", "from minigraph.core.context import resolve\nresolve('viz.common.files')"),
}


@pytest.mark.parametrize(("package", "script"), HIDING.values(), ids=HIDING)
def test_a_file_that_hides_a_package_is_named(package, script, tmp_path):
    program = "import minigraph as ms\nprint(ms.jit(lambda x: x + 1)(ms.Tensor([1.0])))"
    (tmp_path / f"{package}.py").write_text(program if not script else "")
    (tmp_path / "script.py").write_text(script)
    command = [sys.executable, f"{package if not script else 'script'}.py"]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert process.returncode == 1
    assert f"{package}.py' hides minigraph's package '{package}'" in process.stderr.splitlines()[-1]
    assert process.stderr.endswith("; rename the file\n") and "During handling" not in process.stderr


def test_an_import_from_an_archive_is_refused_with_a_remedy(tmp_path):
    archive = tmp_path / "minigraph.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted((ROOT / "minigraph" / "core").glob("*.py")):
            file.write(path, f"minigraph/core/{path.name}")
        file.write(ROOT / "minigraph" / "__init__.py", "minigraph/__init__.py")
    program = f"import sys; sys.path.insert(0, {str(archive)!r}); import minigraph"
    process = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=False)
    assert "ImportError: minigraph cannot be imported from inside an archive" in process.stderr
    assert "install it with pip" in process.stderr


INTERRUPTED_IMPORT = """
from {name} import registry
registry.add("first")
if not interrupted:
    interrupted.append(1)
    raise KeyboardInterrupt
value = 3
"""


def test_an_interrupted_import_of_another_package_starts_anew(tmp_path, monkeypatch):
    """As networkx's, which registers its algorithms once."""
    name = "half_imported_package"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text(INTERRUPTED_IMPORT.format(name=name))
    (tmp_path / name / "registry.py").write_text(
        "known = set()\ndef add(name):\n    assert name not in known\n    known.add(name)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(builtins, "interrupted", [], raising=False)
    with pytest.raises(KeyboardInterrupt):
        resolve(f"{name}:value")
    assert not [module for module in sys.modules if module.startswith(name)]
    assert resolve(f"{name}:value") == 3


class Lazily:
    """An object with a property that takes a moment the first time."""

    computing = 0

    @cached_property
    def value(self):
        """The number of threads that were computing it."""
        self.computing += 1
        time.sleep(0.2)
        return [self.computing]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_forked_while_another_thread_computes_a_property_computes_it():
    thread = threading.Thread(target=lambda: Lazily().value)
    thread.start()
    time.sleep(0.05)
    assert fork_while_held(threading.Lock(), lambda: Lazily().value) == 0
    thread.join()


def test_threads_that_compute_a_property_at_once_get_one_value():
    lazily = Lazily()
    with ThreadPoolExecutor(4) as pool:
        values = [*pool.map(lambda _: lazily.value, range(4))]
    assert len({*map(id, values)}) == 1 and lazily.value is values[0] and lazily.computing > 1
