"""Tensor contraction in Einstein's notation: einsum, for any number of tensors."""

from __future__ import annotations

import math
import re
import string

import numpy as np

from minigraph.core.aliases import Array, Attrs
from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import EachOperand, Op, Sample, apply, define
from minigraph.core.op_fields import Macs, Work
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType
from minigraph.operators.families import check_kinds, check_same_dtype
from minigraph.operators.work import traffic

_FORM = re.compile(r"[A-Za-z]*(?:,[A-Za-z]*)*(?:->[A-Za-z]*)?")


def explicit_equation(equation: str, ranks: tuple[int, ...]) -> str:
    """An equation with an explicit result; raises ``UsageError`` for one that does not fit tensors of these ranks.

    >>> explicit_equation("ij, jk", (2, 2))
    'ij,jk->ik'
    """
    text = equation.replace(" ", "")
    if not _FORM.fullmatch(text):
        raise UsageError(f"einsum: {equation!r} is not an equation like 'ij,jk->ik'; use letters only, no '...'")
    left, arrow, result = text.partition("->")
    parts = left.split(",")
    if tuple(map(len, parts)) != ranks:
        raise UsageError(f"einsum: {equation!r} names axes of ranks {[*map(len, parts)]}, the tensors have {[*ranks]}")
    if not arrow:
        result = "".join(sorted(letter for letter in set(left) if left.count(letter) == 1 and letter != ","))
    if len(set(result)) < len(result) or not set(result) <= set(left):
        raise UsageError(f"einsum: the result '{result}' of {equation!r} repeats a letter or has a new one")
    return f"{left}->{result}"


def _parts(equation: str) -> tuple[list[str], str]:
    left, _, result = equation.partition("->")
    return left.split(","), result


def _sizes(types: tuple[TensorType, ...], equation: str) -> dict[str, int]:
    """The size of every letter; raises ``ShapeError`` when one has two."""
    sizes: dict[str, int] = {}
    for letters, type_ in zip(_parts(equation)[0], types, strict=True):
        for letter, size in zip(letters, type_.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                text = f"einsum: '{letter}' of '{equation}' has the sizes {sizes[letter]} and {size}"
                raise ShapeError(f"{text}; transpose or reshape a tensor")
    return sizes


def _einsum_types(*types: TensorType, equation: str) -> TensorType:
    check_kinds("einsum", "ifc", *types)
    sizes = _sizes(types, equation)
    shape = tuple(sizes[letter] for letter in _parts(equation)[1])
    return TensorType(shape, check_same_dtype("einsum", *types))


def _einsum_attrs(*tensors: Tensor, equation: str) -> Attrs:
    if not tensors:
        raise UsageError("einsum: needs at least one tensor")
    types = tuple(TensorType(t.shape, t.dtype) for t in tensors)
    check_same_dtype("einsum", *types)
    full = explicit_equation(equation, tuple(len(t.shape) for t in tensors))
    _sizes(types, full)
    return {"equation": full}


def _einsum(*arrays: Array, equation: str) -> Array:
    result = np.einsum(equation, *(np.asarray(a, order="C") for a in arrays), optimize=len(arrays) > 2)
    return np.array(result, arrays[0].dtype, order="C")


def _einsum_grad(position: int, g: Tensor, out: Tensor, *tensors: Tensor, equation: str) -> Tensor:
    """The gradient of one operand: the equation with that operand and the result swapped."""
    parts, result = _parts(equation)
    sizes = dict(zip(parts[position], tensors[position].shape, strict=True))
    letters = "".join(sizes)  # each once: of a letter that stands twice, the operand's diagonal is used
    other_parts = parts[:position] + parts[position + 1 :]
    other_tensors = tensors[:position] + tensors[position + 1 :]
    other_letters = {letter for part in (*other_parts, result) for letter in part}
    shared = "".join(letter for letter in letters if letter in other_letters)
    gradient = apply("einsum", g, *other_tensors, equation=f"{','.join([result, *other_parts])}->{shared}")
    if shared != letters:
        shape = tuple(size if letter in other_letters else 1 for letter, size in sizes.items())
        gradient = apply("broadcast_to", apply("reshape", gradient, shape=shape), shape=tuple(sizes.values()))
    return gradient if letters == parts[position] else _embed_diagonal(gradient, letters, parts[position])


def _embed_diagonal(x: Tensor, letters: str, repeated: str) -> Tensor:
    """The tensor on the diagonal of one with repeated letters, zeros elsewhere: products with identity matrices.

    "bi" on the diagonal of "bii" is ``einsum("bi,ij->bij", x, eye)``.
    """
    unused = iter(sorted(set(string.ascii_letters) - set(letters)))
    factors, result = [letters], ""
    for letter in repeated:
        result += next(unused) if letter in result else letter
        factors += [letter + result[-1]] if result[-1] != letter else []
    sizes = [x.shape[letters.index(factor[0])] for factor in factors[1:]]
    eyes = [apply("eye", rows=size, columns=size, dtype=x.dtype) for size in sizes]
    return apply("einsum", x, *eyes, equation=f"{','.join(factors)}->{result}")


def _einsum_work(out: TensorType, *ins: TensorType, equation: str) -> Work:
    """A batch of matrix products where two tensors share letters that are summed over.

    Else one multiplication and one addition for every combination of letters; an estimate for more than two tensors.
    """
    sizes = _sizes(ins, equation)
    macs = _macs(_parts(equation), sizes)
    if macs:
        return Work(macs=(macs,)) + traffic(out, ins)
    lanes = Work(lanes=(("simple", 2 * math.prod(sizes.values()) * max(1, len(ins) - 1)),)) + traffic(out, ins)
    return lanes if len(ins) <= 2 else lanes.as_estimate


def _macs(parts: tuple[list[str], str], sizes: dict[str, int]) -> Macs | None:
    """Two tensors as (b, m, k) @ (b, k, n), or ``None`` where no letter of both is summed over.

    >>> _macs((["bij", "bjk"], "bik"), {"b": 2, "i": 3, "j": 4, "k": 5})[:4]
    (2, 3, 4, 5)
    """
    (operands, result) = parts
    if len(operands) != 2 or not set(operands[0]) & set(operands[1]) - set(result):
        return None
    left, right = map(set, operands)

    def size(letters: set[str]) -> int:
        return math.prod(sizes[letter] for letter in letters)

    outputs = set(result)
    return Macs(size(left & right & outputs), size(left - right), size(left & right - outputs), size(right - left))


def _samples(rng: np.random.Generator) -> list[Sample]:
    x, y, z = rng.normal(size=(2, 3)), rng.normal(size=(3, 4)), rng.normal(size=(5, 2, 3))
    return [
        Sample((x, y), {"equation": "ij,jk->ik"}),
        Sample((x, y), {"equation": "ij, jk"}),
        Sample((x,), {"equation": "ij->j"}),
        Sample((z, x, y), {"equation": "bij,ij,jk->bk"}),
        Sample((x, x), {"equation": "ij,ij->"}),
        Sample((rng.normal(size=(3, 3)),), {"equation": "ii->i"}),
        Sample((rng.normal(size=(2, 3, 3)), rng.normal(size=(3, 3))), {"equation": "bii,ij->bj"}),
    ]


EINSUM = define(Op(
    "einsum", _einsum, _einsum_types, vjp=EachOperand(_einsum_grad), work=_einsum_work, canonical=_einsum_attrs,
    unit="cube", label=lambda attrs: f"einsum {attrs['equation']}"[:60], samples=_samples,
    doc="The sum of products over the axes of an equation such as 'ij,jk->ik' that are not in its result.",
))  # fmt: skip
