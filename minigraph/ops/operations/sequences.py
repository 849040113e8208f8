"""Primitives of sequences of words: edit distances, and words that would repeat others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph.core.aliases import Array
from minigraph.core.errors import ArgValueError
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType, float32
from minigraph.operators.pyfunc import InputInfo, Types, call_python
from minigraph.ops.primitive import primitive

__all__ = ["EditDistance", "NoRepeatNGram"]


def _levenshtein(left: list[float], right: list[float]) -> int:
    """The least number of insertions, deletions and substitutions (Levenshtein 1966), by Wagner and Fischer 1974.

    >>> _levenshtein([1, 2], [1, 3, 2])
    1
    """
    row = list(range(len(right) + 1))
    for i, word in enumerate(left, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(right, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (word != other))
    return row[-1]


def _by_prefix(indices: Tensor, values: Tensor) -> dict[tuple[int, ...], list[float]]:
    sequences: dict[tuple[int, ...], list[float]] = {}
    for index, value in zip(indices.tolist(), values.tolist(), strict=True):
        sequences.setdefault(tuple(index[:-1]), []).append(value)
    return sequences


def _edit_distance(
    hypothesis_indices: Tensor, hypothesis_values: Tensor, hypothesis_shape: Tensor, truth_indices: Tensor,
    truth_values: Tensor, truth_shape: Tensor, *, normalize: bool,
) -> Tensor:  # fmt: skip
    """Edit distances of sequences, the last axis of two sparse tensors; ``normalize`` divides by the true lengths."""
    shape = np.maximum(hypothesis_shape.asnumpy(), truth_shape.asnumpy())[:-1]
    left, right = _by_prefix(hypothesis_indices, hypothesis_values), _by_prefix(truth_indices, truth_values)
    distances = np.zeros(shape, np.float32)
    for prefix in np.ndindex(*shape.tolist()):
        truth = right.get(prefix, [])
        distance: float = _levenshtein(left.get(prefix, []), truth)
        if normalize and distance:
            distance = distance / len(truth) if truth else np.inf
        distances[prefix] = distance
    return Tensor(distances, float32)


def _no_repeat(state_seq: Tensor, log_probs: Tensor, *, ngram_size: int) -> Tensor:
    """``log_probs`` [batch, beams, words] with the lowest number for words that would repeat an n-gram of the sequence.

    Sequences are integers [batch, beams, length].
    """
    if not 0 < ngram_size <= state_seq.shape[-1]:
        raise ArgValueError(f"NoRepeatNGram: ngram_size must be from 1 to {state_seq.shape[-1]}, got {ngram_size}")

    def compute(words: Array, logs: Array) -> Array:
        result = logs.copy()
        for position in np.ndindex(*words.shape[:-1]):
            sequence = words[position].tolist()
            end = sequence[len(sequence) - ngram_size + 1 :]
            for start in range(len(sequence) - ngram_size + 1):
                if sequence[start : start + ngram_size - 1] == end:
                    result[position][sequence[start + ngram_size - 1]] = np.finfo(logs.dtype).min
        return result

    def infer(operands: Sequence[InputInfo]) -> Types:
        return (TensorType(operands[1].shape, operands[1].dtype),)

    result: Tensor = call_python("no_repeat_ngram", compute, (state_seq, log_probs), infer=infer)
    return result


EditDistance = primitive("EditDistance", _edit_distance, normalize=True)
NoRepeatNGram = primitive("NoRepeatNGram", _no_repeat, ngram_size=1)
