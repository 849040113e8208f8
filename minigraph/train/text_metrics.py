"""Metrics of generated text, and of similarity: BLEU, perplexity, cosine similarity."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgValueError, ShapeError
from minigraph.nn.arguments import check_bool
from minigraph.train.metrics import Metric

Words = Sequence[str]


class BleuScore(Metric):
    """BLEU (Papineni et al. 2002): the geometric mean of the precisions of 1- to ``n_gram``-grams, times a brevity
    penalty.

    ``update`` takes candidate sentences and, for each, its reference sentences, as lists of words. ``smooth`` adds 1 to
    the counts of the precisions (Lin & Och 2004). Raises ``ValueError`` for n outside of 1 to 4.

    >>> bleu = BleuScore(n_gram=1)
    >>> bleu.update([["a", "cat", "sat"]], [[["a", "cat", "is"]]])
    >>> round(bleu.eval(), 4)
    0.6667
    """

    def __init__(self, n_gram: int = 4, smooth: bool = False) -> None:
        self.n_gram, self.smooth = n_gram, check_bool("BleuScore", "smooth", smooth)
        if isinstance(n_gram, bool) or not isinstance(n_gram, int) or not 1 <= n_gram <= 4:
            raise ArgValueError(f"The argument 'n_gram' should be from 1 to 4, but got {n_gram}.")
        super().__init__()
        self.clear()

    def clear(self) -> None:
        """Resets the metric."""
        super().clear()
        self.matches, self.grams = np.zeros(self.n_gram), np.zeros(self.n_gram)
        self.length, self.reference_length = 0, 0

    def update(self, *inputs: Any) -> None:
        """Accumulates sentences; raises ``ValueError`` unless there are references for each."""
        candidates, references = inputs
        if len(candidates) != len(references):
            raise ArgValueError(f"BleuScore: {len(candidates)} candidates, references of {len(references)}")
        for candidate, several in zip(candidates, references, strict=True):
            self.length += len(candidate)
            self.reference_length += min((abs(len(text) - len(candidate)), len(text)) for text in several)[1]
            counts, allowed = self._grams(candidate), Counter[tuple[str, ...]]()
            for text in several:
                allowed |= self._grams(text)
            for gram, count in counts.items():
                self.matches[len(gram) - 1] += min(count, allowed[gram])
                self.grams[len(gram) - 1] += count
        self.count += 1

    def _grams(self, words: Words) -> Counter[tuple[str, ...]]:
        """How often each sequence of up to n words occurs."""
        sizes = range(1, self.n_gram + 1)
        return Counter(tuple(words[i : i + n]) for n in sizes for i in range(len(words) - n + 1))

    def eval(self) -> Any:
        """The score from 0 to 1; raises ``RuntimeError`` without any sentence."""
        if not self.count:
            raise ArgRuntimeError("The 'BleuScore' can not be calculated: update has not been called.")
        if not self.matches.min():
            return 0.0
        precisions = (self.matches + self.smooth) / (self.grams + self.smooth)
        brevity = 1.0 if self.length > self.reference_length else math.exp(1 - self.reference_length / self.length)
        return float(brevity * np.exp(np.log(precisions).mean()))


class Perplexity(Metric):
    """exp of the mean negative log-probability of the labels, of probabilities [N, C] and classes [N].

    Labels equal to ``ignore_label`` do not count. Raises ``ShapeError`` for other shapes.

    >>> perplexity = Perplexity()
    >>> perplexity.update(np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([0, 0]))
    >>> round(perplexity.eval(), 4)
    2.8284
    """

    def __init__(self, ignore_label: int | None = None) -> None:
        super().__init__()
        if ignore_label is not None and not isinstance(ignore_label, int):
            raise ArgValueError(f"The argument 'ignore_label' should be int or None, but got {ignore_label!r}.")
        self.ignore_label = ignore_label

    def measure(self, *arrays: np.ndarray) -> tuple[float, int]:
        """The sum over a batch, and the number of labels that count."""
        probabilities, labels = arrays
        if probabilities.shape[:-1] != labels.shape:
            shapes = f"{list(probabilities.shape)} and {list(labels.shape)}"
            raise ShapeError(f"Perplexity: needs probabilities [..., C] and labels [...], got {shapes}")
        targets = labels.reshape(-1).astype(np.int64)
        label_probabilities = probabilities.reshape(len(targets), -1)[np.arange(len(targets)), targets]
        is_counted = targets != self.ignore_label if self.ignore_label is not None else np.ones(len(targets), bool)
        return float(-np.log(np.maximum(1e-10, label_probabilities[is_counted])).sum()), int(is_counted.sum())

    def eval(self) -> Any:
        """The perplexity; raises ``RuntimeError`` without any label."""
        return math.exp(super().eval())


class CosineSimilarity(Metric):
    """Similarities of all pairs of rows: cosines or, by ``similarity`` "dot", products; of the last batch.

    ``reduction`` is "none", "sum" or "mean" over the columns; ``zero_diagonal`` sets the similarity of a row with
    itself to 0. Raises ``ValueError`` for other names.

    >>> metric = CosineSimilarity()
    >>> metric.update(np.array([[1.0, 0.0], [1.0, 1.0]]))
    >>> metric.eval().round(4).tolist()
    [[0.0, 0.7071], [0.7071, 0.0]]
    """

    def __init__(self, similarity: str = "cosine", reduction: str = "none", zero_diagonal: bool = True) -> None:
        super().__init__()
        if similarity not in ("cosine", "dot") or reduction not in ("none", "sum", "mean"):
            names = f"similarity {similarity!r} and reduction {reduction!r}"
            raise ArgValueError(f"CosineSimilarity: got {names}; use 'cosine' or 'dot', and 'none', 'sum' or 'mean'")
        self.similarity, self.reduction, self.zero_diagonal = similarity, reduction, zero_diagonal

    def update(self, *inputs: Any) -> None:
        """Takes rows [N, D]."""
        rows = self._convert_data(inputs[0])
        if self.similarity == "cosine":
            rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self.total, self.count = rows @ rows.T, 1

    def eval(self) -> Any:
        """The similarities [N, N], or their reduction [N]; raises ``RuntimeError`` without any batch."""
        if not self.count:
            raise ArgRuntimeError("The 'CosineSimilarity' can not be calculated: update has not been called.")
        matrix = self.total.copy()
        if self.zero_diagonal:
            np.fill_diagonal(matrix, 0)
        return {"none": matrix, "sum": matrix.sum(-1), "mean": matrix.mean(-1)}[self.reduction]
