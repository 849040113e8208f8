"""Samplers: the order and selection of the rows of an indexable source in an epoch."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError, RangeError, UsageError
from minigraph.dataset.arguments import check_interval


class Sampler:
    """The base class: subclasses define ``__iter__``, which yields indices below ``dataset_size``.

    ``num_samples`` (``None``: all) ends an epoch early. Raises ``ValueError`` for less than one.

    >>> class Backwards(Sampler):
    ...     def __iter__(self):
    ...         return iter(range(self.dataset_size - 1, -1, -1))
    >>> list(Backwards(num_samples=2).indices(5, np.random.default_rng(0)))
    [4, 3]
    """

    dataset_size = 0

    def __init__(self, num_samples: int | None = None) -> None:
        if num_samples is not None:
            check_interval("num_samples", num_samples, 1)
        self.num_samples = num_samples
        self.child: Sampler | None = None

    def add_child(self, sampler: Sampler) -> None:
        """Selects from the rows of another sampler, in its order; raises ``RuntimeError`` for a second one."""
        if self.child is not None:
            raise ArgRuntimeError("Cannot add child sampler, this sampler already has a child.")
        self.child = sampler

    def get_child(self) -> Sampler | None:
        """The sampler from whose rows this one selects."""
        return self.child

    def get_num_samples(self) -> int | None:
        """The largest number of rows of an epoch, of this sampler or its child; ``None``: all."""
        return self.num_samples or (self.child.get_num_samples() if self.child else None)

    def __iter__(self) -> Iterator[int]:
        raise ArgTypeError(f"{type(self).__name__}: a Sampler must define __iter__, which yields indices")

    def order(self, count: int, rng: np.random.Generator) -> Iterable[int]:
        """The indices of one epoch over ``count`` rows; ``rng`` differs by epoch and repeats by seed."""
        self.dataset_size = count
        return iter(self)

    def indices(self, count: int, rng: np.random.Generator) -> Iterator[int]:
        """``order``, limited by ``num_samples``; raises ``IndexError`` for an index out of range."""
        rows = range(count) if self.child is None else [*self.child.indices(count, rng)]
        indices = itertools.islice(self.order(len(rows), rng), self.num_samples)
        return (rows[check_index(i, len(rows))] for i in indices)


class SequentialSampler(Sampler):
    """In order, from ``start_index`` on."""

    def __init__(self, start_index: int | None = None, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.start_index = start_index or 0

    def order(self, count: int, rng: np.random.Generator) -> Iterable[int]:
        """From ``start_index`` to the end."""
        return range(self.start_index, count)


class RandomSampler(Sampler):
    """In random order; with ``replacement`` rows may occur several times."""

    def __init__(self, replacement: bool = False, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.replacement = replacement

    def order(self, count: int, rng: np.random.Generator) -> Iterable[int]:
        """A permutation, or as many samples as there are rows (or ``num_samples``)."""
        if self.replacement:
            return rng.integers(count, size=self.num_samples or count).tolist()
        return rng.permutation(count).tolist()


class SubsetSampler(Sampler):
    """The given indices, in order; one number is one index. Raises ``TypeError`` for other types."""

    def __init__(self, indices: object, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        if not isinstance(indices, int | Iterable) or isinstance(indices, str):
            raise ArgTypeError(f"{type(self).__name__}: indices must be ints, got {type(indices).__name__}")
        self.subset = [indices] if isinstance(indices, int) else [int(i) for i in indices]

    def get_num_samples(self) -> int | None:
        """The number of indices, or fewer."""
        return super().get_num_samples() if self.num_samples else len(self.subset)

    def order(self, count: int, rng: np.random.Generator) -> Iterable[int]:
        """The indices as passed."""
        return self.subset


class SubsetRandomSampler(SubsetSampler):
    """The given indices, in random order."""

    def order(self, count: int, rng: np.random.Generator) -> Iterable[int]:
        """A permutation of the indices."""
        return rng.permutation(self.subset).tolist()


class WeightedRandomSampler(Sampler):
    """Index i with probability ``weights[i]`` / sum; with or without ``replacement``.

    Raises ``ValueError`` for negative weights or only zeros, or if there are fewer positive weights than samples.
    """

    def __init__(self, weights: Sequence[float], num_samples: int | None = None, replacement: bool = True) -> None:
        super().__init__(num_samples)
        self.weights = np.asarray(weights, np.float64)
        if self.weights.ndim != 1 or not (self.weights >= 0).all() or not self.weights.sum() > 0:
            raise ArgValueError("WeightedRandomSampler: weights must not be negative, and at least one positive")
        self.replacement = replacement
        if not replacement and (num_samples or len(self.weights)) > np.count_nonzero(self.weights):
            raise ArgValueError(
                f"WeightedRandomSampler: {num_samples or len(self.weights)} samples without replacement, but only "
                f"{np.count_nonzero(self.weights)} weights are positive"
            )

    def order(self, count: int, rng: np.random.Generator) -> Iterable[int]:
        """``num_samples`` samples, or as many as there are weights."""
        size = self.num_samples or len(self.weights)
        probabilities = self.weights / self.weights.sum()
        return rng.choice(len(probabilities), size, self.replacement, probabilities).tolist()


class NotSupportedError(UsageError, NotImplementedError):
    """A value of an argument that MindSpore refuses with ``NotImplementedError``."""


class PKSampler(Sampler):
    """``num_val`` rows of each class, drawn with replacement, for readers of rows with labels; class by class.

    The classes are in the order of their labels, or with ``shuffle`` in random order. ``class_column`` has no effect.
    Raises ``NotImplementedError`` for a number of classes, ``RuntimeError`` unless ``num_val`` is positive, and
    ``ValueError`` for a dataset without labels.

    >>> list(PKSampler(2).with_labels([7, 3]).indices(2, np.random.default_rng(0)))
    [1, 1, 0, 0]
    """

    labels: Sequence[int] | None = None

    def __init__(
        self,
        num_val: int,
        num_class: None = None,
        shuffle: bool = False,
        class_column: str = "label",
        num_samples: int | None = None,
    ) -> None:
        if not isinstance(num_val, int):
            raise ArgTypeError(f"num_val must be integer but was: {num_val}.")
        if num_class is not None:
            raise NotSupportedError("Not supported to specify num_class for PKSampler; leave it out.")
        if not isinstance(shuffle, bool):
            raise ArgTypeError(f"shuffle must be a boolean value but was: {shuffle}.")
        if not isinstance(class_column, str):
            raise ArgTypeError(f"class_column must be a str value but was: {class_column}.")
        super().__init__(num_samples)
        self.num_val, self.shuffle, self.class_column = num_val, shuffle, class_column

    def with_labels(self, labels: Sequence[int]) -> PKSampler:
        """The same sampler for rows with these labels."""
        bound = copy.copy(self)
        bound.labels = labels
        return bound

    def order(self, count: int, rng: np.random.Generator) -> Iterable[int]:
        """``num_val`` rows of each class."""
        if self.labels is None:
            raise ArgValueError("GeneratorDataset doesn't support PKSampler; use it with readers of labelled files.")
        if self.num_val < 1:
            raise ArgRuntimeError(f"PKSampler: num_val must be greater than 0, but got: {self.num_val}")
        labels = np.asarray(self.labels)
        classes = np.unique(labels)
        ordered = rng.permutation(classes) if self.shuffle else classes
        return [int(i) for label in ordered for i in rng.choice(np.flatnonzero(labels == label), self.num_val)]


class DistributedSampler(Sampler):
    """Every ``num_shards``-th row from ``shard_id`` on; the first rows are repeated to fill the last shard.

    With ``shuffle`` the rows are shuffled first, equally in all shards. Raises ``ValueError`` for an invalid shard.
    """

    def __init__(
        self, num_shards: int, shard_id: int, shuffle: bool = True, num_samples: int | None = None, offset: int = -1
    ) -> None:
        super().__init__(num_samples)
        if isinstance(offset, bool) or not isinstance(offset, int):
            raise ArgTypeError(f"offset must be integer but was: {offset}.")
        check_interval("num_shards", num_shards, 1)
        if isinstance(shard_id, bool) or not isinstance(shard_id, int) or not 0 <= shard_id < num_shards:
            raise ArgValueError(f"Input shard_id is not within the required interval of [0, {num_shards - 1}].")
        self.num_shards, self.shard_id, self.shuffle, self.offset = num_shards, shard_id, shuffle, offset

    def order(self, count: int, rng: np.random.Generator) -> Iterable[int]:
        """The rows of this shard; all shards have equally many, unless there is an offset."""
        rows = rng.permutation(count).tolist() if self.shuffle else list(range(count))
        if self.offset >= 0:
            return rows[(self.shard_id - self.offset) % self.num_shards :: self.num_shards]
        size = -(-count // self.num_shards)
        return [rows[(self.shard_id + i * self.num_shards) % count] for i in range(size)]


def check_index(index: Any, count: int) -> int:
    """The index; raises ``IndexError`` if it is out of range."""
    if not -count <= index < count:
        raise RangeError(f"sampler: no row {index} among {count}; use indices from 0 to {count - 1}")
    return int(index)
