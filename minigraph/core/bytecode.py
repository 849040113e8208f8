"""Reads the bytecode of functions; the only module that depends on the instruction set of a Python version.

Reviewed for CPython 3.11 to 3.14. On any other Python each function uses a simple fallback, with which results stay
correct: messages name no line, guards cover more names than needed, and VJP rules run on tensors instead of arrays.
"""

from __future__ import annotations

import dis
import math
import sys
from collections.abc import Iterator
from itertools import pairwise
from types import CodeType, FrameType
from typing import NamedTuple
from weakref import WeakKeyDictionary

from minigraph.core.aliases import Function

IS_REVIEWED = sys.implementation.name == "cpython" and sys.version_info[:2] <= (3, 14)

STORES = ("STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "DELETE_GLOBAL", "DELETE_DEREF", "DELETE_ATTR")
ITEM_STORES = ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")  # 3.11 has no STORE_SLICE
ATTRIBUTE_LOADS = ("LOAD_ATTR", "LOAD_METHOD")  # 3.12 to 3.14 have no LOAD_METHOD
NUMBER_LOADS = ("LOAD_CONST", "LOAD_SMALL_INT")  # LOAD_SMALL_INT and the BORROW instructions are 3.14's
ARITHMETIC = {
    "RESUME", "BINARY_OP", "UNARY_NEGATIVE", "RETURN_VALUE", "LOAD_FAST", "LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW",
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW", *NUMBER_LOADS,
}  # fmt: skip


class Instruction(NamedTuple):
    """One instruction: its operation, its names, its line, and whether it loads a function that is called at once."""

    name: str
    names: tuple[object, ...]
    line: int
    is_called: bool


_instructions: WeakKeyDictionary[CodeType, list[Instruction]] = WeakKeyDictionary()  # a graph break reads them often


def instructions_of(code: CodeType) -> list[Instruction]:
    """The instructions of a code object; none if the instruction set of this Python is unknown."""
    if not IS_REVIEWED:
        return []
    if (known := _instructions.get(code)) is not None:
        return known
    steps, plain = list[Instruction](), list(dis.get_instructions(code))
    for k, step in enumerate(plain):
        names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        line = (step.positions and step.positions.lineno) or code.co_firstlineno
        beside = plain[k - 1 : k] if sys.version_info < (3, 13) else plain[k + 1 : k + 2]
        is_called = _loads_method(step) or any(other.opname == "PUSH_NULL" for other in beside)
        is_called |= step.opname == "LOAD_ATTR" and steps[-1].is_called and steps[-1].name.startswith("LOAD_")  # a.b()
        steps.append(Instruction(step.opname, names, line, is_called))
    _instructions[code] = steps  # complete before it is stored, since other threads read it
    return steps


def _loads_method(step: dis.Instruction) -> bool:
    """Whether an instruction loads a global or an attribute for the call that follows its arguments."""
    has_flag = step.opname == "LOAD_GLOBAL" or (step.opname == "LOAD_ATTR" and sys.version_info >= (3, 12))
    return step.opname == "LOAD_METHOD" or (has_flag and bool((step.arg or 0) & 1))


def line_of_handler(code: CodeType) -> int:
    """The line of the first ``except`` or ``finally`` in code, 0 without one; ``with`` has none. As a fallback, 0.

    >>> line_of_handler(compile("try:\\n    f()\\nexcept ValueError:\\n    pass", "", "exec"))
    3
    """
    if not IS_REVIEWED or dis.opmap["PUSH_EXC_INFO"] not in code.co_code[::2]:
        return 0
    steps = [step for step in instructions_of(code) if step.name != "CACHE"]
    return next((b.line for a, b in pairwise(steps) if a.name == "PUSH_EXC_INFO" and b.name != "WITH_EXCEPT_START"), 0)


def assigned_names(code: CodeType, instruction: str) -> frozenset[str]:
    """The attributes (``STORE_ATTR``) or globals (``STORE_GLOBAL``) that code assigns; as a fallback, all its names.

    >>> sorted(assigned_names(compile("x.a, b.c = d, 1", "", "exec"), "STORE_ATTR"))
    ['a', 'c']
    """
    if not IS_REVIEWED:
        return frozenset(code.co_names)
    if dis.opmap[instruction].to_bytes() not in code.co_code[::2]:  # most code assigns none
        return frozenset()
    return frozenset(step.argval for step in dis.get_instructions(code) if step.opname == instruction)


def matches_pattern(code: CodeType, instruction: str) -> bool:
    """Whether a ``case`` in code has a pattern of the kind that an instruction matches; as a fallback, yes.

    >>> code = compile("match 1:\\n case int(n): pass", "", "exec")
    >>> matches_pattern(code, "MATCH_CLASS"), matches_pattern(code, "MATCH_SEQUENCE")
    (True, False)
    """
    return not IS_REVIEWED or dis.opmap[instruction] in code.co_code[::2]


class Import(NamedTuple):
    """An import: its level (of ``from ..a``), the name, and whether the outermost package itself is read."""

    level: int
    name: str
    reads_packages: bool


def imports_in(code: CodeType) -> frozenset[Import]:
    """The imports in code; as a fallback, all its names.

    >>> sorted(imports_in(compile("import a.b\\nfrom ..c import d", "", "exec")))
    [Import(level=0, name='a.b', reads_packages=True), Import(level=2, name='c', reads_packages=False)]
    """
    if not IS_REVIEWED:
        return frozenset(Import(level, name, level == 0) for level in (0, 1) for name in code.co_names)
    if dis.opmap["IMPORT_NAME"].to_bytes() not in code.co_code[::2]:
        return frozenset()
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("CACHE", "EXTENDED_ARG")]
    windows = (steps[k - 2 : k + 1] for k, step in enumerate(steps) if step.opname == "IMPORT_NAME")
    return frozenset(Import(level.argval, step.argval, names.argval is None) for level, names, step in windows)


def is_arithmetic(rule: Function, signs: frozenset[str]) -> bool:
    """Whether a function only combines its arguments and finite numbers by these operators; as a fallback, no.

    >>> signs = frozenset("+-*/")
    >>> is_arithmetic(lambda g, out, x: g * (1 - out * out), signs), is_arithmetic(lambda g, out, x: g ** x, signs)
    (True, False)
    """
    code = list(dis.get_instructions(rule)) if IS_REVIEWED and hasattr(rule, "__code__") else []
    numbers = [step.argval for step in code if step.opname in NUMBER_LOADS]
    if not all(type(number) in (int, float) and math.isfinite(number) for number in numbers):
        return False
    used = {step.argrepr for step in code if step.opname == "BINARY_OP"}
    return bool(code) and {step.opname for step in code} <= ARITHMETIC and used <= signs


def calls_with_computed_name(code: CodeType, functions: frozenset[str]) -> bool:
    """Whether code calls one of these functions, such as getattr, with a second argument that is not a constant.

    As a fallback, yes.

    >>> reads = frozenset({"getattr"})
    >>> calls_with_computed_name(compile("getattr(a, 'b')", "", "eval"), reads)
    False
    >>> calls_with_computed_name((lambda a, b: getattr(a, b)).__code__, reads)
    True
    """
    if not IS_REVIEWED:
        return True
    if functions.isdisjoint(code.co_names):
        return False
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("CACHE", "PRECALL", "PUSH_NULL")]
    loads = ("LOAD_GLOBAL", "LOAD_NAME")
    calls = [k for k, step in enumerate(steps) if step.opname in loads and step.argval in functions]
    return any(not _has_constant_name(steps[k:]) for k in calls)


def _has_constant_name(steps: list[dis.Instruction]) -> bool:
    """Whether the second argument of the call that begins here is a constant."""
    end = next((k for k, step in enumerate(steps) if step.opname == "CALL"), 0)
    position = end - 1 - (steps[end].argval == 3)
    return position > 0 and steps[end].argval in (2, 3) and steps[position].opname == "LOAD_CONST"


def may_call(code: CodeType, name: str, count: int) -> bool:
    """Whether code may call a function that it loads as ``name`` with ``count`` arguments; as a fallback, yes.

    >>> code = compile("iter(f(1, 2))", "", "eval")
    >>> may_call(code, "iter", 1), may_call(code, "iter", 2), may_call(code, "f", 2)
    (True, False, True)
    """
    if not IS_REVIEWED:
        return True
    steps = list(dis.get_instructions(code))
    loads = (k for k, step in enumerate(steps) if step.opname.startswith("LOAD_") and step.argval == name)
    return any(_calls_with(steps[k:], count) for k in loads)


def _calls_with(steps: list[dis.Instruction], count: int) -> bool:
    """Whether the call of the function that the first instruction loads may have ``count`` arguments."""
    depth = 0  # of the stack, relative to that before the load
    for step in steps:
        depth += dis.stack_effect(step.opcode, step.arg, jump=False)
        if depth <= 1 and step.opname.startswith("CALL"):
            return step.argval == count or step.opname == "CALL_FUNCTION_EX"
    return True


def is_import_from(frame: FrameType) -> bool:
    """Whether a frame is executing the ``name`` of ``from module import name``; as a fallback, no."""
    if not IS_REVIEWED or frame.f_lasti < 0:
        return False
    return frame.f_code.co_code[frame.f_lasti] == dis.opmap["IMPORT_FROM"]


COMPARED = (  # attributes of code that determine what it does, apart from its constants
    "co_code", "co_exceptiontable", "co_names", "co_varnames", "co_cellvars", "co_freevars", "co_argcount",
    "co_posonlyargcount", "co_kwonlyargcount", "co_flags",
)  # fmt: skip


def has_same_instructions(one: CodeType, other: CodeType) -> bool:
    """Whether two code objects have the same instructions, constants and names, nested functions included.

    >>> has_same_instructions((lambda: 1).__code__, (lambda: 1).__code__)
    True
    >>> has_same_instructions((lambda: 1).__code__, (lambda: 1.0).__code__)
    False
    """
    worklist = [(one, other)]
    while worklist:
        first, second = worklist.pop()
        if any(getattr(first, name) != getattr(second, name) for name in COMPARED):
            return False
        if _constants(first) != _constants(second):
            return False
        worklist += zip(_inner(first), _inner(second), strict=True)
    return True


def _constants(code: CodeType) -> list[object]:
    return [_constant_key(const) for const in code.co_consts]


def _constant_key(const: object) -> object:
    """Equal for constants of one type and value; code counts as its type, because it is compared by itself."""
    if isinstance(const, CodeType):
        return CodeType
    if isinstance(const, tuple | frozenset):
        return type(const), type(const)(map(_constant_key, const))
    return type(const), repr(const) if isinstance(const, float | complex) else const  # nan, and both zeros


def _inner(code: CodeType) -> Iterator[CodeType]:
    return (const for const in code.co_consts if isinstance(const, CodeType))
