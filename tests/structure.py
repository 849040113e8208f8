"""The checkout, read as text: its modules, their imports, the lengths of their functions."""

import ast
import fnmatch
import io
import tokenize
from functools import cache
from pathlib import Path
from typing import NamedTuple

import networkx as nx

ROOT = Path(__file__).parents[1]
PACKAGES = ("minigraph", "passes", "viz")
IMPORTING = (*PACKAGES, "benchmarks")  # packages to which the import rules apply
NOT_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Module(NamedTuple):
    """One source file: its dotted name, whether it is an ``__init__``, its path and its syntax tree."""

    name: str
    is_init: bool
    path: Path
    tree: ast.Module

    def location(self, node=None):
        """A location in the file, as a test prints it."""
        return f"{self.path.relative_to(ROOT)}:{node.lineno if node else 1}"

    def nodes(self, *kinds):
        """The nodes of the given kinds, at any depth."""
        return (node for node in ast.walk(self.tree) if isinstance(node, kinds))


@cache
def modules(packages=PACKAGES):
    """Every module of our packages, in order of name."""
    return [_module_of(path) for package in packages for path in sorted((ROOT / package).rglob("*.py"))]


@cache
def _module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    is_init = parts[-1] == "__init__"
    return Module(".".join(parts[:-1] if is_init else parts), is_init, path, ast.parse(path.read_text("utf-8")))


# ---- imports ---------------------------------------------------------------------------------------


@cache
def module_names():
    """The names of all modules that can be imported."""
    return frozenset(module.name for module in modules(IMPORTING))


def imports(module):
    """(statement, dotted name) of every import; a name taken from a package is its module where there is one."""
    names = module_names()
    for node in module.nodes(ast.Import):
        yield from ((node, alias.name) for alias in node.names)
    for node in module.nodes(ast.ImportFrom):
        for alias in node.names:
            full_name = f"{node.module}.{alias.name}"
            yield node, full_name if full_name in names else str(node.module)


def own_imports(module):
    """The imports of our own packages, except imports for annotations in ``minigraph.core`` of packages above it."""
    inside = module.tree.body if module.name.startswith("minigraph.core") else []
    typing = {id(node) for block in filter(is_for_type_checkers, inside) for node in block.body}
    return [(n, name) for n, name in imports(module) if name.split(".")[0] in IMPORTING and id(n) not in typing]


def covers(package, name):
    """Whether a dotted name is a package or a module in it."""
    return name == package or name.startswith(package + ".")


def layer_of(name, layers):
    """(layer, entry) of a module: the longest entry that covers it; a package's root covers only its ``__init__``."""
    packages = [
        (len(entry), layer, entry)
        for layer, entries in enumerate(layers)
        for entry in entries
        if name == entry or (entry != "minigraph" and covers(entry, name))
    ]
    assert packages, f"{name} stands in no layer of LAYERS; give it one"
    _, layer, entry = max(packages)
    return layer, entry


def folder_of(module):
    """The folder of a module."""
    return module.name if module.is_init else module.name.rpartition(".")[0]


def part_of(name, folder):
    """The folder inside of a folder that contains a module; "." if it is a file there, or its ``__init__``.

    The files directly in ``minigraph`` are parts of their own, as they are in the table of layers.
    """
    parts = name.removeprefix(folder).strip(".").split(".")
    is_file = not (ROOT.joinpath(*folder.split("."), parts[0]) / "__init__.py").exists()
    return "." if name == folder or (is_file and folder != "minigraph") else parts[0]


def cycles(pairs):
    """The strongly connected components with more than one name."""
    graph = nx.DiGraph(pair for pair in pairs if pair[0] != pair[1])
    return [" <-> ".join(sorted(part)) for part in nx.strongly_connected_components(graph) if len(part) > 1]


# ---- sizes and words -------------------------------------------------------------------------------


def is_docstring(node):
    """Whether a statement is only a string."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def is_for_type_checkers(node):
    """Whether a statement is an import for type checkers, of names that a package imports lazily."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


@cache
def code_lines(path):
    """The numbers of the lines that hold code: no blank ones, comments or docstrings."""
    text = path.read_text("utf-8")
    tokens = [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type not in NOT_CODE]
    lines = {line for t in tokens for line in range(t.start[0], t.end[0] + 1)}
    for node in filter(is_docstring, ast.walk(ast.parse(text))):
        lines -= set(range(node.lineno, node.end_lineno + 1))
    return frozenset(lines)


def function_sizes():
    """(lines of code, location) of every function; docstrings, comments and blank lines do not count."""
    return [
        (sum(node.lineno <= line <= node.end_lineno for line in code_lines(module.path)), module.location(node))
        for module in modules()
        for node in module.nodes(Function)
    ]


def is_documented_elsewhere(node):
    """Whether a definition is an overload or a setter: the implementation and the property have the docstring."""
    return any(ast.unparse(mark).split(".")[-1] in ("overload", "setter") for mark in node.decorator_list)


def is_public(node):
    """Whether a statement defines a class or function that needs a docstring."""
    return (
        isinstance(node, ast.ClassDef | Function)
        and not node.name.startswith("_")
        and not is_documented_elsewhere(node)
    )


def public(module):
    """(node, location) of the module, its public classes and functions, and the public methods of its classes."""
    yield module.tree, module.location()
    for node in filter(is_public, module.tree.body):
        yield node, f"{module.location(node)} {node.name}"
        for method in filter(is_public, node.body if isinstance(node, ast.ClassDef) else ()):
            yield method, f"{module.location(method)} {node.name}.{method.name}"


def bare_arguments(function):
    """The names of a function's arguments that have no annotation, ``return`` among them."""
    args = function.args
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
    bare = [arg.arg for arg in named if arg.annotation is None and arg.arg not in ("self", "cls")]
    return bare + ["return"] * (function.returns is None)


# ---- files -----------------------------------------------------------------------------------------


@cache
def ignored_patterns():
    lines = (ROOT / ".gitignore").read_text().splitlines()
    return [line.strip().rstrip("/") for line in lines if line.strip() and not line.startswith("#")]


def tracked_paths(folder):
    """The paths in a folder that git does not ignore."""
    inside = (path for path in folder.iterdir() if path.name != ".git")
    return [path for path in inside if not any(fnmatch.fnmatch(path.name, pattern) for pattern in ignored_patterns())]


@cache
def files():
    """Every file of the checkout that is not ignored."""
    paths, folders = [], [ROOT]
    while folders:
        inside = tracked_paths(folders.pop())
        folders += [path for path in inside if path.is_dir()]
        paths += [path for path in inside if path.is_file()]
    return sorted(paths)


def own_test_of(module):
    """The path of the test of a module: ``minigraph.ir.text`` has ``tests/ir/test_text.py``."""
    parts = module.name.removeprefix("minigraph.").split(".")
    return ROOT.joinpath("tests", *parts[:-1], f"test_{parts[-1].lstrip('_')}.py")
