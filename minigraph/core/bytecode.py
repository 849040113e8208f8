"""Reads the bytecode of functions; the only module that depends on the instruction set of a Python version.

Supports CPython 3.11 to 3.14. On any other Python each function has a conservative fallback, and results stay correct;
what differs is in ``docs/concepts/capture.md``, "Later versions of Python". ``pytest --bytecode=off`` forces it.
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

IS_SUPPORTED = sys.implementation.name == "cpython" and sys.version_info[:2] <= (3, 14)

STORE_OPCODES = ("STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "DELETE_GLOBAL", "DELETE_DEREF", "DELETE_ATTR")
ITEM_STORE_OPCODES = ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")  # 3.11 has no STORE_SLICE
ATTRIBUTE_LOAD_OPCODES = ("LOAD_ATTR", "LOAD_METHOD")  # 3.12 to 3.14 have no LOAD_METHOD
NUMBER_LOAD_OPCODES = ("LOAD_CONST", "LOAD_SMALL_INT")  # LOAD_SMALL_INT and the BORROW instructions are 3.14's
IN_PLACE_OPERATORS = range(13, 26)  # the operands of BINARY_OP for ``+=`` and its relatives
IMPORT_LEVELS = range(8)  # assumed for relative imports in code that cannot be read; more dots are not seen
ARITHMETIC_OPCODES = {
    "RESUME", "BINARY_OP", "UNARY_NEGATIVE", "RETURN_VALUE", "LOAD_FAST", "LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW",
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW", *NUMBER_LOAD_OPCODES,
}  # fmt: skip


class Instruction(NamedTuple):
    """One instruction: opcode name, operand names, source line, and whether it loads the function of a call."""

    name: str
    names: tuple[object, ...]
    line: int
    is_called: bool


_instructions: WeakKeyDictionary[CodeType, list[Instruction]] = WeakKeyDictionary()  # a graph break reads them often


def instructions_of(code: CodeType) -> list[Instruction]:
    """The instructions of a code object; none if the instruction set of this Python is unknown."""
    if not IS_SUPPORTED:
        return []
    if (cached := _instructions.get(code)) is not None:
        return cached
    instructions, decoded = list[Instruction](), list(dis.get_instructions(code))
    for k, item in enumerate(decoded):
        names = item.argval if isinstance(item.argval, tuple) else (item.argval,)
        line = (item.positions and item.positions.lineno) or code.co_firstlineno
        adjacent = decoded[k - 1 : k] if sys.version_info < (3, 13) else decoded[k + 1 : k + 2]
        is_called = _loads_method(item) or any(neighbor.opname == "PUSH_NULL" for neighbor in adjacent)
        if item.opname == "LOAD_ATTR" and instructions[-1].name.startswith("LOAD_"):  # a.b()
            is_called |= instructions[-1].is_called
        instructions.append(Instruction(item.opname, names, line, is_called))
    _instructions[code] = instructions  # complete before it is stored, since other threads read it
    return instructions


def _loads_method(instruction: dis.Instruction) -> bool:
    """Whether an instruction loads a global or an attribute for the call that follows its arguments."""
    name = instruction.opname
    has_flag = name == "LOAD_GLOBAL" or (name == "LOAD_ATTR" and sys.version_info >= (3, 12))
    return name == "LOAD_METHOD" or (has_flag and bool((instruction.arg or 0) & 1))


def line_of_handler(code: CodeType) -> int:
    """The line of the first ``except`` or ``finally`` in code; 0 if it has none (``with`` does not count).

    Fallback: the first line of code that has any, or a ``with``, or that yields.

    >>> line_of_handler(compile("try:\\n    f()\\nexcept ValueError:\\n    pass", "", "exec"))
    3
    """
    if not IS_SUPPORTED:
        return code.co_firstlineno if code.co_exceptiontable else 0
    if dis.opmap["PUSH_EXC_INFO"] not in code.co_code[::2]:
        return 0
    instructions = [step for step in instructions_of(code) if step.name != "CACHE"]
    handlers = (second for first, second in pairwise(instructions) if first.name == "PUSH_EXC_INFO")
    return next((handler.line for handler in handlers if handler.name != "WITH_EXCEPT_START"), 0)


def operand_names(code: CodeType, instruction: str) -> frozenset[str]:
    """The names in the operands of one instruction, such as the attributes that code assigns (``STORE_ATTR``).

    Fallback: all names of the code.

    >>> sorted(operand_names(compile("x.a, b.c = d, 1", "", "exec"), "STORE_ATTR"))
    ['a', 'c']
    """
    if not IS_SUPPORTED:
        return frozenset(code.co_names)
    if dis.opmap[instruction].to_bytes() not in code.co_code[::2]:  # most code assigns none
        return frozenset()
    return frozenset(step.argval for step in dis.get_instructions(code) if step.opname == instruction)


def has_pattern(code: CodeType, instruction: str) -> bool:
    """Whether code has a ``case`` pattern that compiles to this instruction. Fallback: true.

    >>> code = compile("match 1:\\n case int(n): pass", "", "exec")
    >>> has_pattern(code, "MATCH_CLASS"), has_pattern(code, "MATCH_SEQUENCE")
    (True, False)
    """
    return not IS_SUPPORTED or dis.opmap[instruction] in code.co_code[::2]


class Import(NamedTuple):
    """An import: the number of leading dots (``from ..a``: 2), the name, and whether it binds the outermost package."""

    level: int
    name: str
    reads_packages: bool


def imports_in(code: CodeType) -> frozenset[Import]:
    """The imports in code. Fallback: all names of the code.

    >>> sorted(imports_in(compile("import a.b\\nfrom ..c import d", "", "exec")))
    [Import(level=0, name='a.b', reads_packages=True), Import(level=2, name='c', reads_packages=False)]
    """
    if not IS_SUPPORTED:
        return frozenset(Import(level, name, level == 0) for level in IMPORT_LEVELS for name in code.co_names)
    if dis.opmap["IMPORT_NAME"].to_bytes() not in code.co_code[::2]:
        return frozenset()
    instructions = [step for step in dis.get_instructions(code) if step.opname not in ("CACHE", "EXTENDED_ARG")]
    windows = (instructions[k - 2 : k + 1] for k, step in enumerate(instructions) if step.opname == "IMPORT_NAME")
    return frozenset(Import(level.argval, step.argval, names.argval is None) for level, names, step in windows)


def is_arithmetic(rule: Function, operators: frozenset[str]) -> bool:
    """Whether a function only combines its arguments and finite numbers by these operators. Fallback: false.

    >>> signs = frozenset("+-*/")
    >>> is_arithmetic(lambda g, out, x: g * (1 - out * out), signs), is_arithmetic(lambda g, out, x: g ** x, signs)
    (True, False)
    """
    code = list(dis.get_instructions(rule)) if IS_SUPPORTED and hasattr(rule, "__code__") else []
    numbers = [step.argval for step in code if step.opname in NUMBER_LOAD_OPCODES]
    if not all(type(number) in (int, float) and math.isfinite(number) for number in numbers):
        return False
    used_operators = {step.argrepr for step in code if step.opname == "BINARY_OP"}
    return bool(code) and {step.opname for step in code} <= ARITHMETIC_OPCODES and used_operators <= operators


def calls_with_computed_name(code: CodeType, functions: frozenset[str]) -> bool:
    """Whether code calls one of these functions, such as getattr, with a second argument that is not a constant.

    Fallback: whether it names one.

    >>> reads = frozenset({"getattr"})
    >>> calls_with_computed_name(compile("getattr(a, 'b')", "", "eval"), reads)
    False
    >>> calls_with_computed_name((lambda a, b: getattr(a, b)).__code__, reads)
    True
    """
    if functions.isdisjoint(code.co_names):
        return False
    if not IS_SUPPORTED:
        return True
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
    """Whether code may call a function that it loads as ``name`` with ``count`` arguments. Fallback: true.

    >>> code = compile("iter(f(1, 2))", "", "eval")
    >>> may_call(code, "iter", 1), may_call(code, "iter", 2), may_call(code, "f", 2)
    (True, False, True)
    """
    if not IS_SUPPORTED:
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
    """Whether a frame is importing a name of ``from module import name``. Fallback: false."""
    if not IS_SUPPORTED or frame.f_lasti < 0:
        return False
    return frame.f_code.co_code[frame.f_lasti] == dis.opmap["IMPORT_FROM"]


COMPARED_ATTRIBUTES = (  # attributes of code that determine what it does, apart from its constants
    "co_code", "co_exceptiontable", "co_names", "co_varnames", "co_cellvars", "co_freevars", "co_argcount",
    "co_posonlyargcount", "co_kwonlyargcount", "co_flags",
)  # fmt: skip


def has_same_instructions(left: CodeType, right: CodeType) -> bool:
    """Whether two code objects have the same instructions, constants and names, nested functions included.

    >>> has_same_instructions((lambda: 1).__code__, (lambda: 1).__code__)
    True
    >>> has_same_instructions((lambda: 1).__code__, (lambda: 1.0).__code__)
    False
    """
    worklist = [(left, right)]
    while worklist:
        left, right = worklist.pop()
        if any(getattr(left, name) != getattr(right, name) for name in COMPARED_ATTRIBUTES):
            return False
        if _constants(left) != _constants(right):
            return False
        worklist += zip(_nested_code(left), _nested_code(right), strict=True)
    return True


def _constants(code: CodeType) -> list[object]:
    return [_constant_key(const) for const in code.co_consts]


def _constant_key(const: object) -> object:
    """A key, equal for constants of the same type and value; code objects are compared separately, and all have one."""
    if isinstance(const, CodeType):
        return CodeType
    if isinstance(const, tuple | frozenset):
        return type(const), type(const)(map(_constant_key, const))
    return type(const), repr(const) if isinstance(const, float | complex) else const  # nan, and both zeros


def _nested_code(code: CodeType) -> Iterator[CodeType]:
    return (const for const in code.co_consts if isinstance(const, CodeType))
