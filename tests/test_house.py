"""The rules of the house: who may import whom, how long things are, what is said of them, what lies where.

Every test gathers all violations, so that a failure names each place.
"""

import ast
import configparser
import re
import statistics
import sys
import tokenize

import networkx as nx
import pytest

from minigraph.op import TABLE
from tests.house import (
    PACKAGES,
    ROOT,
    Function,
    bare_arguments,
    code_lines,
    covers,
    files,
    function_sizes,
    imports,
    is_docstring,
    kept,
    modules,
    own_imports,
    own_test_of,
    place_of,
    public,
)

# A row imports only rows above it; inside a row, only its own room. The longest matching name decides, so a
# single module may stand higher than the rest of its room.
LAYERS = (
    ("minigraph.errors", "minigraph._version"),
    ("minigraph.types", "minigraph.ground"),
    ("minigraph.settings", "minigraph.communication"),
    ("minigraph.context",),
    ("minigraph.op", "minigraph.tensor.printing", "minigraph.device", "minigraph.runtime"),
    ("minigraph.tensor.operators", "minigraph.autodiff.arithmetic", "minigraph.ir.base", "minigraph.ir.records",
     "minigraph.ir.ordering", "minigraph.ir.reading", "minigraph.ir.locked", "minigraph.ir.wiring",
     "minigraph.ir.graph"),
    ("minigraph.tensor", "minigraph.ir"),
    ("minigraph.capture.guards", "minigraph.capture.order", "minigraph.capture.reading",
     "minigraph.capture.structure", "minigraph.capture.tracer"),
    ("minigraph.capture.reach",),
    ("minigraph.autodiff.entry", "minigraph.autodiff.pulls"),
    ("minigraph.eager", "minigraph.autodiff.tape"),
    ("minigraph.quick",),
    ("minigraph.capture.trace",),
    ("minigraph.autodiff", "minigraph.run"),
    ("minigraph.capture.body", "minigraph.capture.joins"),
    ("minigraph.ops",),
    ("minigraph.capture",),
    ("minigraph.jit",),
    ("minigraph.nn", "minigraph.numpy", "minigraph.dataset", "minigraph.npu"),
    ("minigraph.serialize",),
    ("minigraph.train",),
    ("minigraph.seed",),
    ("minigraph.common",),
    ("minigraph",),
    ("passes", "viz", "minigraph.examples"),
    ("minigraph.lessons",),
    ("minigraph.cli",),
    ("minigraph.__main__",),
)  # fmt: skip
STRANGERS = {"passes": ("minigraph.jit", "minigraph.nn", "minigraph.npu")}
ONLY_IN = {
    "networkx": "minigraph.ir", "graphviz": "viz", "pygraphviz": "viz", "PIL": "viz.raster", "resvg_py": "viz.raster",
    "egglog": "passes.egraph.graph",
}  # fmt: skip
IMPORTED_AS = {"pillow": "PIL"}
OPTIONAL = ("egraph", "pictures")  # the extras that a module of ours imports; the others are for people
LATE_BINDING = {"minigraph", "minigraph.context", "minigraph.ground.offered"}  # here modules are imported by a string

MEDIAN, P90, LONGEST = 6, 25, 60  # lines of code of a function
FILE_LINES = 300
TESTS_TO_SOURCE = 1.2
TOP = [
    ".ci", ".git", ".gitignore", ".ruff.toml", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "benchmarks",
    "minigraph", "passes", "pyproject.toml", "setup.cfg", "tests", "tutorials", "viz",
]  # fmt: skip
TEXT = {".cfg", ".css", ".html", ".js", ".md", ".out", ".py", ".toml", ".txt", ""}


def none_of(wrong):
    found = sorted(set(wrong))
    assert not found, f"{len(found)} violations\n" + "\n".join(found)


# ---- who imports whom ------------------------------------------------------------------------------


def rises(importer, imported):
    """Whether an import goes to a lower row of the table or to another room of the same row."""
    (row, room), (target_row, target_room) = place_of(importer, LAYERS), place_of(imported, LAYERS)
    return target_row > row or (target_row == row and target_room != room)


def test_a_row_imports_only_rows_above_it():
    none_of(f"{m.at(node)}: {m.name} imports {x}" for m in modules() for node, x in own_imports(m) if rises(m.name, x))


@pytest.mark.parametrize(
    ("importer", "imported", "wrong"),
    [
        ("minigraph.autodiff.tape", "minigraph.op", False),
        ("minigraph.op", "minigraph.autodiff.tape", True),
        ("minigraph.ir.text", "minigraph.ir.scanner", False),
        ("minigraph.ir.graph", "minigraph.ir.text", True),
        ("minigraph.nn.cell", "minigraph.dataset", True),
        ("minigraph.nn.cell", "minigraph.nn.dense", False),
        ("minigraph.nn.cell", "minigraph", True),
        ("passes.dce", "viz.dot", True),
        ("viz.dot", "passes.dce", True),
        ("minigraph.jit", "passes", True),
        ("minigraph.cli.main", "passes", False),
    ],
)
def test_the_table_of_rows_means_what_it_says(importer, imported, wrong):
    assert rises(importer, imported) is wrong


def test_rooms_that_must_stay_strangers():
    none_of(
        f"{module.at(node)}: {module.name} imports {name}"
        for module in modules()
        for room, strangers in STRANGERS.items()
        for node, name in own_imports(module)
        if covers(room, module.name) and any(covers(stranger, name) for stranger in strangers)
    )


def test_no_import_cycles():
    graph = nx.DiGraph((m.name, name) for m in modules() for _, name in own_imports(m) if name != m.name)
    none_of(" <-> ".join(sorted(part)) for part in nx.strongly_connected_components(graph) if len(part) > 1)


def imported_late(module):
    """Our own imports below the top of the file, and imports by a string."""
    top = set(map(id, module.tree.body))
    yield from (node for node, _ in own_imports(module) if id(node) not in top)
    if module.name not in LATE_BINDING:
        named = (
            (node, getattr(node, "id", getattr(node, "attr", ""))) for node in module.nodes(ast.Name, ast.Attribute)
        )
        yield from (node for node, name in named if name in ("import_module", "__import__"))


def test_our_own_modules_are_imported_at_the_top():
    """Late binding goes through ``context.resolve``; lazy attributes are the package's ``__getattr__``."""
    none_of(module.at(node) for module in modules() for node in imported_late(module))


def test_imports_are_absolute():
    none_of(m.at(node) for m in modules() for node in m.nodes(ast.ImportFrom) if node.level)


def test_only_declared_dependencies_are_imported_and_each_in_its_room():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    wanted = [setup["options"]["install_requires"], *(setup["options.extras_require"][extra] for extra in OPTIONAL)]
    declared = re.findall(r"^(\w+)>=", "\n".join(wanted), re.MULTILINE)
    known = {*(IMPORTED_AS.get(name, name) for name in declared), *sys.stdlib_module_names, *PACKAGES}
    tops = [(module, node, name.split(".")[0]) for module in modules() for node, name in imports(module)]
    none_of(f"{module.at(node)}: {top} is no declared dependency" for module, node, top in tops if top not in known)
    homes = [(module, node, ONLY_IN[top]) for module, node, top in tops if top in ONLY_IN]
    none_of(f"{module.at(node)}: belongs to {home}" for module, node, home in homes if not covers(home, module.name))


def test_init_files_re_export_and_do_nothing_else():
    inits = [module for module in modules() if module.is_init]
    rest = [(m, n) for m in inits for n in m.tree.body if not isinstance(n, ast.Import | ast.ImportFrom)]
    kept_names = {"minigraph": ("__all__ = ", "def __getattr__"), "minigraph.nn": ("__all__ = ", "__all__ += ")}
    none_of(
        module.at(node)
        for module, node in rest
        if not (is_docstring(node) or ast.unparse(node).startswith(kept_names.get(module.name, "__all__ = ")))
    )


# ---- how long --------------------------------------------------------------------------------------


def test_functions_are_small():
    sizes = sorted(size for size, _ in function_sizes())
    none_of(f"{place}: {size} lines" for size, place in function_sizes() if size > LONGEST)
    assert statistics.median(sizes) <= MEDIAN
    assert sizes[int(len(sizes) * 0.9)] <= P90


def test_files_are_short():
    lengths = [(module.at(), len(module.path.read_text().splitlines())) for module in modules()]
    none_of(f"{place}: {lines} lines" for place, lines in lengths if lines > FILE_LINES)


# ---- what is said ----------------------------------------------------------------------------------


def test_everything_public_has_a_docstring():
    none_of(place for module in modules() for node, place in public(module) if not ast.get_docstring(node))


def test_every_function_is_annotated():
    bare = [(module, node, bare_arguments(node)) for module in modules() for node in module.nodes(Function)]
    none_of(f"{module.at(node)} {node.name}: {', '.join(names)}" for module, node, names in bare if names)


def asks_for_a_name(comparison):
    """Whether a comparison sets an operator's name against a name in the table."""
    sides = [re.sub(r"\(.*?\)", "", ast.unparse(side)) for side in (comparison.left, *comparison.comparators)]
    words = {leaf.value for leaf in ast.walk(comparison) if isinstance(leaf, ast.Constant)}
    return any(side.endswith("op.name") for side in sides) and not words.isdisjoint(TABLE)


def test_no_code_asks_for_an_operators_name():
    """Code reads the fields of a record, so that a new operator needs no change anywhere else."""
    compared = ((module, node) for module in modules() for node in module.nodes(ast.Compare))
    none_of(f"{module.at(node)}: {ast.unparse(node)}" for module, node in compared if asks_for_a_name(node))


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("graph.op(node).name == 'add'", True),
        ("'add' == op.name", True),
        ("entry.op.name in ('add', 'mul')", True),
        ("op.name == other.name", False),
        ("op.family == 'add'", False),
        ("op.name == 'no operator'", False),
    ],
)
def test_how_asking_for_a_name_is_recognised(code, wrong):
    assert asks_for_a_name(ast.parse(code, mode="eval").body) is wrong


def semicolons(path):
    with tokenize.open(path) as stream:
        tokens = tokenize.generate_tokens(stream.readline)
        return [token.start[0] for token in tokens if (token.type, token.string) == (tokenize.OP, ";")]


def test_no_semicolons():
    none_of(f"{module.at()}: line {n}" for module in modules() for n in semicolons(module.path))
    tests = (path for path in files() if path.name.startswith("test_"))
    none_of(f"{path.relative_to(ROOT)}:{n}" for path in tests for n in semicolons(path))


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param(r"(?<![\w.:])/(?:home|root|Users|work|tmp|opt)/\w|[A-Z]:\\{1,2}Users", id="paths of one machine"),
        pytest.param(r"\b(?:TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b", id="unfinished work"),
        pytest.param(r"raise NotImplemente[d]", id="stubs"),
    ],
)
def test_no_file_holds(pattern):
    texts = [(path.relative_to(ROOT), path.read_text("utf-8")) for path in files() if path.suffix in TEXT]
    lines = ((path, n, line.strip()) for path, text in texts for n, line in enumerate(text.splitlines(), 1))
    none_of(f"{path}:{n}: {line}" for path, n, line in lines if re.search(pattern, line))


# ---- what lies where -------------------------------------------------------------------------------


def has_tests(path):
    return path.exists() and re.search(r"^def test_", path.read_text(), re.MULTILINE) is not None


def test_every_module_has_a_test_of_its_name():
    wanted = [own_test_of(module) for module in modules() if not module.is_init]
    none_of(str(path.relative_to(ROOT)) for path in wanted if not has_tests(path))


def test_there_is_more_test_than_source():
    tests = [path for path in files() if ROOT / "tests" in path.parents]
    lines = sum(len(code_lines(path)) for path in tests if path.suffix == ".py")
    lines += sum(len(path.read_text().splitlines()) for path in tests if path.suffix in (".txt", ".out"))
    source = sum(len(code_lines(module.path)) for module in modules())
    assert lines >= TESTS_TO_SOURCE * source, f"{lines} lines of tests for {source} of source, {lines / source:.2f}"


def test_the_top_folder_holds_what_it_should():
    none_of({path.name for path in kept(ROOT)} - set(TOP))
    assert len((ROOT / "pyproject.toml").read_text().splitlines()) == 3


def test_every_package_says_that_it_is_typed():
    none_of(package for package in PACKAGES if not (ROOT / package / "py.typed").exists())


def test_the_readme_starts_with_code_and_has_two_set_up_commands():
    lines = (ROOT / "README.md").read_text().splitlines()
    assert any(line.startswith("```") for line in lines[:10])
    explain, tests = (line for line in lines if line.startswith("pip install"))
    assert explain.endswith("minigraph explain")
    assert "pytest" in tests
