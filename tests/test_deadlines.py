"""Every handler of errors raises those of a signal handler first: see ``minigraph/core/scope_guard.py``."""

import ast
import re
from contextlib import suppress
from functools import cache
from importlib import import_module

from tests.structure import modules


def test_every_handler_of_errors_of_kernels_raises_deadlines_first():
    """On a fast path as well, which would drop the error and compute the call again."""
    names = re.compile("(OPERAND|FALLBACK|FLOAT)_ERRORS|_loud")
    handlers = [node for module in modules() for node in module.nodes(ast.ExceptHandler)
                if node.type is not None and names.search(ast.unparse(node.type))]  # fmt: skip
    assert len(handlers) >= 8
    assert all(ast.unparse(handler.body[0]) == "reraise_handler_error(error)" for handler in handlers)


RERAISING = ("raise_external_error", "reraise_handler_error")


@cache
def handlers_of_deadlines():
    """Every ``except`` and ``suppress`` of a ``TimeoutError``, with its module, and whether it takes all errors."""
    nodes = [(module, node) for module in modules() for node in module.nodes(ast.ExceptHandler, ast.Call)]
    caught = [(module, node, kinds_of(module, node)) for module, node in nodes]
    return [(*place, issubclass(Exception, kinds)) for *place, kinds in caught if issubclass(TimeoutError, kinds)]


def kinds_of(module, node):
    """The types of exceptions of an ``except`` or ``suppress``; none for other calls, and for those of local names."""
    if isinstance(node, ast.Call):
        types = node.args if ast.unparse(node.func) in ("suppress", "contextlib.suppress") else []
    else:
        types = [node.type] if node.type else [ast.Name("BaseException")]
    names = vars(import_module(module.name)) if types else {}
    with suppress(NameError):
        kinds = [eval(ast.unparse(kind), names) for kind in types]
        return tuple(kind for item in kinds for kind in (item if isinstance(item, tuple) else (item,)))
    assert ast.unparse(types[0]) in ("self._loud", "defs.SchemaError", "sqlite3.OperationalError", "count_errors")
    return ()


def test_every_handler_of_all_errors_raises_deadlines_first():
    """An ``except Exception`` raises what it caught, or calls a function of ``RERAISING``."""
    handlers = [(module, node) for module, node, takes_all in handlers_of_deadlines() if takes_all]
    silent = [module.location(node) for module, node in handlers if isinstance(node, ast.Call) or not raises(node)]
    assert [place for place in silent if "core/worker_processes.py" not in place] == []  # sent to the parent process
    assert len(handlers) > 30


def test_every_handler_of_errors_of_files_raises_deadlines_first():
    """The ``TimeoutError`` of a deadline is an ``OSError``; ``suppress_file_errors`` replaces ``suppress(OSError)``."""
    handlers = [(module, node) for module, node, takes_all in handlers_of_deadlines() if not takes_all]
    silent = [module.location(node) for module, node in handlers
              if isinstance(node, ast.Call) or ast.unparse(node.body[0]) != "reraise_handler_error(error)"]  # fmt: skip
    assert silent == []
    assert len(handlers) > 30


def raises(handler):
    nodes = [node for statement in handler.body for node in ast.walk(statement)]
    return any(
        (isinstance(node, ast.Raise) and (node.exc is None or ast.unparse(node.cause or node) == handler.name))
        or (isinstance(node, ast.Call) and ast.unparse(node.func) in RERAISING)
        for node in nodes
    )
