"""Calls of ``ops``, of Tensor's methods and of ``ms.numpy`` with the recorded results of MindSpore 2.10 (CPU).

Every line of ``recorded/*.txt`` is a call, " => ", and the dtype, the shape and the elements to six digits.
"""

import ast
from pathlib import Path

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, jit
from minigraph.core.errors import MinigraphError

RECORDED = Path(__file__).parent / "recorded"
LINES = 40  # per test
DEPENDS = {  # the number of elements depends on values, or the result is a Python value
    "allclose", "argwhere", "asnumpy", "bincount", "histc", "intersect1d", "item", "masked_select", "nonzero",
    "setdiff1d", "tolist", "unique", "unique_consecutive",
}  # fmt: skip


def inputs():
    """The tensors that the calls name."""
    rng = np.random.RandomState(1)

    def draws(*sizes):
        return rng.randn(*sizes).astype(np.float32)

    arrays = {"x": draws(2, 3), "y": draws(2, 3), "p": (np.abs(rng.randn(2, 3)) + 0.5).astype(np.float32)}
    arrays["h"] = (rng.rand(2, 3) * 1.6 - 0.8).astype(np.float32)
    arrays["hp"] = (rng.rand(2, 3) * 0.8 + 0.1).astype(np.float32)
    arrays["i"] = np.array([[3, -4, 5], [0, 7, 2]], np.int32)
    arrays["j"] = np.array([[2, 3, 1], [4, 5, 6]], np.int32)
    arrays["b"] = np.array([[True, False, True], [False, True, True]])
    arrays["e"] = np.array([1.0, np.nan, np.inf, -np.inf], np.float32)
    arrays["x4"] = draws(4)
    arrays["v"] = np.array([1.0, 2.0, 3.5, 2.5], np.float32)
    arrays["v3"] = np.array([1.0, -2.0, 3.0], np.float32)
    arrays["s"] = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
    arrays["q"] = np.array([1, 2, 2, 5, 5, 5, 1], np.int32)
    arrays["t3"], arrays["x4d"], arrays["sq"] = draws(2, 3, 4), draws(1, 2, 4, 4), draws(3, 3)
    arrays["si"] = np.arange(9).reshape(3, 3)
    arrays["t33"] = draws(2, 3, 3)
    square = rng.randn(3, 3)
    arrays["spd"] = (square @ square.T + 3 * np.eye(3)).astype(np.float32)
    arrays["c"] = np.array([1 + 2j, 3 - 1j], np.complex64)
    return {name: Tensor(array) for name, array in arrays.items()}


def namespace():
    """The other names in the calls."""
    operations = ms.ops.operations
    return {"ms": ms, "ops": ms.ops, "nn": ms.nn, "mnp": ms.numpy, "T": Tensor, "np": np, "P": operations}


def words(value):
    """A value as words of the recorded form, with full precision of floats."""
    if isinstance(value, Tensor):
        sizes = ",".join(map(str, value.shape))
        return [f"{value.dtype!s}[{sizes}]", *map(str, value.asnumpy().ravel().tolist())]
    if isinstance(value, tuple | list):
        parts = [words(part) for part in value]
        return [f"{type(value).__name__} of {len(parts)}", *(word for part in parts for word in part)]
    return repr(value).split() if value is None or isinstance(value, bool | int | float | str) else str(value).split()


def words_of_text(text):
    """The words of a recorded value."""
    if text[:1] in ("(", "[") and text[-1:] in (")", "]"):
        parts = list(parts_of(text[1:-1]))
        kind = "tuple" if text[0] == "(" else "list"
        return [f"{kind} of {len(parts)}", *(word for part in parts for word in words_of_text(part))]
    return text.split()


def parts_of(text):
    """The parts of a sequence: text between semicolons outside of brackets."""
    depth, start = 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if sign == ";" and not depth:
            yield text[start:at].strip()
            start = at + 1
    if text.strip():
        yield text[start:].strip()


def are_equal_words(left, right):
    """Whether two words are equal, numbers to about four digits."""
    if left == right:
        return True
    try:
        first, second = complex(left), complex(right)
    except ValueError:
        return False
    nan = np.isnan(first) and np.isnan(second)
    return nan or bool(np.isclose(first, second, rtol=2e-3 if abs(first) < 1e-3 else 1e-3, atol=2e-5))


FIELD = {ast.Name: "id", ast.Attribute: "attr"}


def names_in(call, kind):
    """The names or attributes in an expression."""
    return {getattr(node, FIELD[kind]) for node in ast.walk(ast.parse(call, mode="eval")) if isinstance(node, kind)}


def call_under_jit(call, known):
    """The result of a call under ``@jit``, with its tensors as arguments."""
    tensors = inputs()
    used = sorted(names_in(call, ast.Name) & tensors.keys())
    return jit(eval(f"lambda {', '.join(used)}: {call}", known))(*(tensors[name] for name in used))


def lines():
    for path in sorted(RECORDED.glob("*.txt")):
        calls = path.read_text().splitlines()
        for start in range(0, len(calls), LINES):
            yield pytest.param(calls[start : start + LINES], id=f"{path.stem}-{start + 1}")


@pytest.mark.parametrize("calls", list(lines()))
def test_the_answers_equal_mindspore(calls):
    wrong = []
    for line in calls:
        call, _, answer = line.partition(" => ")
        answer_words, expected = words(eval(call, namespace() | inputs())), words_of_text(answer)
        if len(answer_words) != len(expected) or not all(map(are_equal_words, answer_words, expected)):
            wrong.append(f"{line}\n    here: {' '.join(answer_words)}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("calls", list(lines()))
def test_a_compiled_call_gives_the_same_bits(calls):
    wrong = []
    for line in calls:
        call = line.partition(" => ")[0]
        if names_in(call, ast.Attribute) & DEPENDS:
            continue
        try:
            compiled, expected = words(call_under_jit(call, namespace())), words(eval(call, namespace() | inputs()))
        except MinigraphError as error:
            wrong.append(f"{call}: {type(error).__name__}: {error}")
            continue
        if compiled != expected:
            wrong.append(f"{call}\n    compiled: {' '.join(compiled)}\n    eager: {' '.join(expected)}")
    assert not wrong, "\n".join(wrong)
