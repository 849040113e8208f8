"""Rules of the project: imports between packages, sizes, docstrings and names, and the layout of files.

Every test collects all violations, so that a failure names each location.
"""

import ast
import configparser
import itertools
import re
import statistics
import sys
import tokenize

from minigraph.core.op import TABLE
from minigraph.ir.graph import Graph
from tests.structure import (
    IMPORTING,
    PACKAGES,
    ROOT,
    Function,
    bare_arguments,
    covers,
    cycles,
    files,
    folder_of,
    function_sizes,
    imports,
    is_docstring,
    is_for_type_checkers,
    layer_of,
    modules,
    own_imports,
    own_test_of,
    part_of,
    public,
    tracked_paths,
)
from tests.tables import every, results

# A layer imports only layers above it; inside a layer, a package only itself. The longest matching name decides, so the
# files of ``core`` that tensors and the tape need come before these two packages. CONTRIBUTING.md has it, too.
LAYERS = (
    ("minigraph.core", "minigraph._version"),
    ("minigraph.core.tensor",),
    ("minigraph.core.autodiff",),
    ("minigraph.ir",),
    ("minigraph.capture",),
    ("minigraph.execute",),
    ("minigraph.operators",),
    ("minigraph.translate",),
    ("minigraph.compilation",),
    ("minigraph.accel",),
    ("minigraph.ops", "minigraph.mindrecord"),
    ("minigraph.numpy", "minigraph.nn", "minigraph.dataset"),
    ("minigraph.npu", "minigraph.importers", "minigraph.experimental"),
    ("minigraph.mint",),
    ("minigraph.serialize",),
    ("minigraph.train", "minigraph.common"),
    ("minigraph.amp", "minigraph.errors", "minigraph.op", "minigraph.types", "minigraph.context",
     "minigraph.communication", "minigraph.parallel", "minigraph.profiler",
     "minigraph.runtime"),
    ("minigraph",),
    ("passes.core",),
    ("passes.rewrite",),
    ("passes.optimize",),
    ("passes.numpy",),
    ("passes.validate",),
    ("passes",),
    ("passes.egraph", "viz"),
    ("minigraph.examples",),
    ("minigraph.lessons",),
    ("minigraph.cli",),
    ("minigraph.__main__",),
    ("benchmarks",),
)  # fmt: skip
FORBIDDEN_IMPORTS = {"passes": ("minigraph.compilation", "minigraph.nn", "minigraph.npu", "viz"), "viz": ("passes",)}
ONLY_IN = {
    "networkx": "minigraph.ir", "graphviz": "viz", "pygraphviz": "viz", "PIL": "viz.output.raster",
    "resvg_py": "viz.output.raster", "anywidget": "viz.editor.widget",
    "traitlets": "viz.editor.widget", "egglog": "passes.egraph.graph",
}  # fmt: skip
IMPORTED_AS = {"pillow": "PIL"}
OPTIONAL = ("egraph", "pictures", "onnx", "torch", "widget")  # extras our modules import; the others: developers' tools
# here modules are imported by a string
LATE_BINDING = {"minigraph.core.definitions", "minigraph.core.lazy"}

MEDIAN, P90, LONGEST = 6, 25, 60  # lines of code of a function
FILE_LINES = 300
TOP = [
    ".ci", ".git", ".github", ".gitignore", ".pre-commit-config.yaml", ".ruff.toml", "CHANGELOG.md", "CONTRIBUTING.md",
    "LICENSE", "MANIFEST.in", "README.md", "benchmarks", "docs", "minigraph", "passes", "pyproject.toml", "setup.cfg",
    "tests", "tutorials", "viz",
]  # fmt: skip
TEXT = {".cfg", ".css", ".html", ".js", ".md", ".out", ".py", ".toml", ".txt", ""}


def assert_none(wrong):
    violations = sorted(set(wrong))
    assert not violations, f"{len(violations)} violations\n" + "\n".join(violations)


# ---- imports ---------------------------------------------------------------------------------------


def is_upward_import(importer, imported):
    """Whether an import goes to a layer further down the table or to another package of the same layer."""
    (layer, package), (target_layer, target) = layer_of(importer, LAYERS), layer_of(imported, LAYERS)
    return target_layer > layer or (target_layer == layer and target != package)


def test_a_layer_imports_only_layers_above_it():
    upward = [(m, node, x) for m in modules(IMPORTING) for node, x in own_imports(m) if is_upward_import(m.name, x)]
    assert_none(f"{m.location(node)}: {m.name} imports {x}" for m, node, x in upward)


test_the_table_of_layers_means_what_it_says = results(
    is_upward_import,
    ("minigraph.core.autodiff.tape", "minigraph.core.op", False),
    ("minigraph.core.op", "minigraph.core.autodiff.tape", True),
    ("minigraph.ir.text", "minigraph.ir.scanner", False),
    ("minigraph.nn.cell", "minigraph.dataset", True),
    ("minigraph.nn.cell", "minigraph.nn.dense", False),
    ("minigraph.nn.cell", "minigraph", True),
    ("passes.optimize.dce", "viz.dot", True),
    ("minigraph.compilation", "passes", True),
    ("minigraph.cli.main", "passes", False),
)


def test_packages_that_must_not_import_each_other():
    assert_none(
        f"{module.location(node)}: {module.name} imports {name}"
        for module in modules()
        for package, forbidden in FORBIDDEN_IMPORTS.items()
        for node, name in own_imports(module)
        if covers(package, module.name) and any(covers(prefix, name) for prefix in forbidden)
    )


def test_no_module_imports_the_accelerator():
    """But tests and benchmarks: it is named by the strings of ``minigraph.core.seams``."""
    outside = [module for module in modules() if not covers("minigraph.accel", module.name)]
    pairs = {(m.name, name) for m in outside for _, name in own_imports(m) if covers("minigraph.accel", name)}
    assert_none(f"{importer} imports {name}" for importer, name in pairs)


def test_no_string_names_the_accelerator_but_those_of_the_seams():
    """In documentation it may be named."""
    outside = [m for m in modules() if not covers("minigraph.accel", m.name) and m.name != "minigraph.core.seams"]
    for module in outside:
        documentation = {id(node.value) for node in module.nodes(ast.Expr) if is_docstring(node)}
        strings = [node for node in module.nodes(ast.Constant) if isinstance(node.value, str)]
        assert_none(
            f"{module.location(node)}: {node.value}"
            for node in strings
            if "minigraph.accel" in node.value and id(node) not in documentation
        )


def test_no_import_cycles():
    assert cycles([("a", "b"), ("b", "a"), ("b", "b"), ("b", "c")]) == ["a <-> b"]
    assert_none(cycles((m.name, name) for m in modules(IMPORTING) for _, name in own_imports(m)))


def test_no_cycles_of_folders():
    """In every folder, its folders (with all below them) and its own files import one another in one direction.

    ``__init__`` files are left out: they only give out names of what is below them.
    """
    importing = [m for m in modules(IMPORTING) if not m.is_init]
    pairs = {(m.name, name) for m in importing for _, name in own_imports(m)}
    for folder in sorted(set(map(folder_of, modules(IMPORTING)))):
        inside = [pair for pair in pairs if all(covers(folder, name) for name in pair)]
        assert_none(
            f"{folder}: {cycle}" for cycle in cycles([part_of(name, folder) for name in pair] for pair in inside)
        )


def test_no_folder_is_on_two_layers():
    layers = {}
    for module in modules(IMPORTING):
        layers.setdefault(folder_of(module), set()).add(layer_of(module.name, LAYERS))
    assert_none(folder for folder, numbers in layers.items() if len(numbers) > 1 and folder != "minigraph")


test_how_a_folder_is_divided = results(
    part_of,
    ("viz.explore.journal", "viz", "explore"),
    ("viz.explore.journal", "viz.explore", "."),
    ("viz.explore", "viz", "explore"),
    ("viz.no_folder", "viz", "."),
    ("viz", "viz", "."),
    ("minigraph.core.tensor.tensor", "minigraph", "core"),
    ("minigraph.errors", "minigraph", "errors"),
)


def late_imports(module):
    """Our own imports below the top of the file, and imports by a string."""
    typing = (node.body for node in module.tree.body if is_for_type_checkers(node))
    top = {id(node) for node in itertools.chain(module.tree.body, *typing)}
    yield from (node for node, _ in own_imports(module) if id(node) not in top)
    if module.name not in LATE_BINDING and not covers(
        "benchmarks", module.name
    ):  # benchmarks load other packages by name
        named = ((n, getattr(n, "id", getattr(n, "attr", ""))) for n in module.nodes(ast.Name, ast.Attribute))
        yield from (node for node, name in named if name in ("import_module", "__import__"))


def test_our_own_modules_are_imported_at_the_top():
    """Late binding goes through ``context.resolve``; lazy attributes are the package's ``__getattr__``."""
    assert_none(module.location(node) for module in modules(IMPORTING) for node in late_imports(module))


def test_imports_are_absolute():
    assert_none(m.location(node) for m in modules(IMPORTING) for node in m.nodes(ast.ImportFrom) if node.level)


def test_only_declared_dependencies_are_imported_and_each_in_its_package():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    expected = [setup["options"]["install_requires"], *(setup["options.extras_require"][extra] for extra in OPTIONAL)]
    declared = re.findall(r"^(\w+)>=", "\n".join(expected), re.MULTILINE)
    known = {*(IMPORTED_AS.get(name, name) for name in declared), *sys.stdlib_module_names, *PACKAGES}
    tops = [(module, node, name.split(".")[0]) for module in modules() for node, name in imports(module)]
    assert_none(
        f"{module.location(node)}: {top} is no declared dependency" for module, node, top in tops if top not in known
    )
    homes = [(module, node, ONLY_IN[top]) for module, node, top in tops if top in ONLY_IN]
    assert_none(
        f"{module.location(node)}: belongs to {home}" for module, node, home in homes if not covers(home, module.name)
    )


def test_init_files_re_export_and_do_nothing_else():
    inits = [module for module in modules() if module.is_init]
    rest = [(m, n) for m in inits for n in m.tree.body if not isinstance(n, ast.Import | ast.ImportFrom)]
    lists = {"minigraph.nn": ("__all__ = ", "__all__ += ")}
    hidden = "if not TYPE_CHECKING:\n    __all__ = "  # a list that type checkers cannot read
    for module, node in rest:
        listing = ast.unparse(node).startswith(lists.get(module.name, ("__all__ = ", hidden)))
        assert listing or is_docstring(node) or is_for_type_checkers(node), module.location(node)


def reads_inside(tree):
    """Locations that read or write a private attribute of a graph."""
    private = {name for name in dir(Graph()) if name.startswith("_") and not name.endswith("_")}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in private and ast.unparse(node.value) not in ("self", "cls"):
            yield node


def test_graphs_are_read_through_their_public_readers():
    """Outside of ``ir`` and its tests, which damage graphs on purpose."""
    sources = (path for path in files() if path.suffix == ".py")
    inside = (ROOT / "minigraph" / "ir", ROOT / "tests" / "ir")
    outside = [path for path in sources if path.parent not in inside]
    assert_none(
        f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"
        for path in outside
        for node in reads_inside(ast.parse(path.read_text("utf-8")))
    )


test_access_to_private_state_of_a_graph_is_recognised = results(
    lambda code: any(reads_inside(ast.parse(code))),
    ("graph._node[3]", True),
    ("self.graph._succ", True),
    ("graph._note('outs', -1)", True),
    ("self._node(scan)", False),
    ("graph._repr_svg_()", False),
    ("graph.node_map()[3]", False),
)


def test_the_contributors_page_has_the_table_of_layers():
    section = (ROOT / "CONTRIBUTING.md").read_text().partition("## Layers")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert [tuple(re.findall(r"`(.+?)`", row)) for row in rows] == [*LAYERS]


# ---- how long --------------------------------------------------------------------------------------


def test_functions_are_small():
    sizes = sorted(size for size, _ in function_sizes())
    assert_none(f"{where}: {size} lines" for size, where in function_sizes() if size > LONGEST)
    assert statistics.median(sizes) <= MEDIAN
    assert sizes[int(len(sizes) * 0.9)] <= P90


def test_files_are_short():
    lengths = [(module.location(), len(module.path.read_text().splitlines())) for module in modules()]
    assert_none(f"{where}: {lines} lines" for where, lines in lengths if lines > FILE_LINES)


# ---- docstrings and messages -----------------------------------------------------------------------


def test_everything_public_has_a_docstring():
    assert_none(where for module in modules() for node, where in public(module) if not ast.get_docstring(node))


def test_every_function_is_annotated():
    bare = [(module, node, bare_arguments(node)) for module in modules() for node in module.nodes(Function)]
    assert_none(f"{module.location(node)} {node.name}: {', '.join(names)}" for module, node, names in bare if names)


def compares_operator_name(comparison):
    """Whether a comparison tests the name of an operator."""
    sides = [re.sub(r"\(.*?\)", "", ast.unparse(side)) for side in (comparison.left, *comparison.comparators)]
    words = {leaf.value for leaf in ast.walk(comparison) if isinstance(leaf, ast.Constant)}
    return any(side.endswith("op.name") for side in sides) and not words.isdisjoint(TABLE)


def test_no_code_tests_an_operators_name():
    """Code reads the fields of a record, so that a new operator needs no other change."""
    compared = ((module, node) for module in modules() for node in module.nodes(ast.Compare))
    assert_none(
        f"{module.location(node)}: {ast.unparse(node)}" for module, node in compared if compares_operator_name(node)
    )


test_comparisons_with_operator_names_are_recognised = results(
    lambda code: compares_operator_name(ast.parse(code, mode="eval").body),
    ("graph.op(node).name == 'add'", True),
    ("'add' == op.name", True),
    ("entry.op.name in ('add', 'mul')", True),
    ("op.name == other.name", False),
    ("op.family == 'add'", False),
    ("op.name == 'no operator'", False),
)


def semicolons(path):
    with tokenize.open(path) as stream:
        tokens = tokenize.generate_tokens(stream.readline)
        return [token.start[0] for token in tokens if (token.type, token.string) == (tokenize.OP, ";")]


def test_no_semicolons():
    assert_none(f"{module.location()}: line {n}" for module in modules() for n in semicolons(module.path))
    tests = (path for path in files() if path.name.startswith("test_"))
    assert_none(f"{path.relative_to(ROOT)}:{n}" for path in tests for n in semicolons(path))


UNWANTED = {
    "paths of one machine": r"(?<![\w.:])/(?:home|root|Users|work|tmp|opt)/\w|[A-Z]:\\{1,2}Users",
    "unfinished work": r"\b(?:TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b",
    "stubs": r"raise NotImplemente[d]",
}


@every(pattern=UNWANTED.values(), ids=UNWANTED)
def test_no_file_holds(pattern):
    texts = [(path.relative_to(ROOT), path.read_text("utf-8")) for path in files() if path.suffix in TEXT]
    lines = ((path, n, line.strip()) for path, text in texts for n, line in enumerate(text.splitlines(), 1))
    assert_none(f"{path}:{n}: {line}" for path, n, line in lines if re.search(pattern, line))


# ---- layout of files -------------------------------------------------------------------------------


def has_tests(path):
    return path.exists() and re.search(r"^(def )?test_", path.read_text(), re.MULTILINE) is not None


def re_exports(module):
    """Whether a file only re-exports names under a public path; tests/test_public_paths.py imports those."""
    rest = [n for n in module.tree.body if not (is_docstring(n) or isinstance(n, ast.ImportFrom | ast.Assign))]
    return not rest and module.name.count(".") == 1


def test_every_module_has_a_test_of_its_name():
    expected = [own_test_of(module) for module in modules() if not (module.is_init or re_exports(module))]
    assert_none(str(path.relative_to(ROOT)) for path in expected if not has_tests(path))


def test_the_top_folder_has_the_expected_files():
    assert_none({path.name for path in tracked_paths(ROOT)} - set(TOP))
    assert len((ROOT / "pyproject.toml").read_text().splitlines()) == 3


def test_all_that_can_depend_on_a_browser_is_found_by_the_continuous_integration():
    """`.ci/run` runs the test files with the word "chromium" twice: with and without a browser on the path."""
    assert "grep -rl --include='test_*.py' chromium tests" in (ROOT / ".ci" / "run").read_text()
    needs = re.compile(r"playwright|selenium|google-chrome|firefox|open_browser|\.new_page\(|def test_[^)]*\bvisit\b")
    texts = {path: path.read_text() for path in (ROOT / "tests").rglob("test_*.py")}
    assert_none(str(path) for path, text in texts.items() if needs.search(text) and "chromium" not in text)
    lines = [line.strip() for name in PACKAGES for path in (ROOT / name).rglob("*.py")
             for line in path.read_text().splitlines()]  # fmt: skip
    browsers = re.compile(r"playwright|selenium|chromium|google-chrome|firefox|webbrowser")
    opens = ("import webbrowser", "webbrowser.open(")  # the default browser, whose answer nobody uses
    assert_none(line for line in lines if browsers.search(line) and not line.startswith(opens))


def test_every_package_is_marked_as_typed():
    assert_none(package for package in PACKAGES if not (ROOT / package / "py.typed").exists())


def test_the_readme_starts_with_code_and_has_two_set_up_commands():
    lines = (ROOT / "README.md").read_text().splitlines()
    assert any(line.startswith("```") for line in lines[:10])
    explain, tests = (line for line in lines if line.startswith("pip install"))
    assert explain.endswith("minigraph explain")
    assert "pytest" in tests
