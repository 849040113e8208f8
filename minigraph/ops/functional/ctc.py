"""Connectionist temporal classification (CTC): the loss of label sequences that are not aligned with the input."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.errors import ShapeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import bool_, int64
from minigraph.ops.functional.arithmetic import maximum
from minigraph.ops.functional.creation import arange, zeros_like
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.elementary import exp, log
from minigraph.ops.functional.indexing import gather_elements, where
from minigraph.ops.functional.joining import concat, stack
from minigraph.ops.functional.loss import reduced

__all__ = ["ctc_loss"]


def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> tuple[Any, Any]:
    """(the loss of sequences against shorter ones (Graves et al. 2006), the logarithms of the sums of paths).

    ``log_probs`` are [T,N,C], ``targets`` [N,S] classes other than ``blank``. "mean" divides each loss by the
    length of its target first. ``zero_infinity`` makes the loss of what cannot be aligned 0.
    """
    if log_probs.ndim != 3 or targets.ndim != 2:
        shapes = f"{list(log_probs.shape)} and {list(targets.shape)}"
        raise ShapeError(f"ctc_loss: needs log_probs [T,N,C] and targets [N,S], got {shapes}")
    steps, cases, _ = log_probs.shape
    labels = _between_blanks(cast(targets, int64), blank)
    skips = concat([Tensor(np.zeros((cases, 2), bool)), labels[:, 2:] != labels[:, :-2]], 1)
    lengths, wanted = _whole(input_lengths), _whole(target_lengths)
    paths = where(arange(labels.shape[1]) < 2, gather_elements(log_probs[0], 1, labels), _never(log_probs))
    every = [paths]
    for step in range(1, steps):
        new = _reached(paths, skips) + gather_elements(log_probs[step], 1, labels)
        paths = where((step < lengths).expand_dims(1), new, paths)
        every.append(new)
    ends = stack([2 * wanted, maximum(2 * wanted - 1, 0)], 1)
    last = gather_elements(paths, 1, ends)
    last = where((wanted.expand_dims(1) == 0) & (arange(2) == 1), _never(log_probs), last)
    losses = -_log_of_sum([last[:, 0], last[:, 1]])
    losses = where(losses > 1e29, 0.0 if zero_infinity else float("inf"), losses)
    losses = losses / cast(maximum(wanted, 1), losses.dtype) if reduction == "mean" else losses
    sums, step, place = stack(every, 1), arange(steps).reshape(-1, 1), arange(labels.shape[1])
    real = (step < lengths.reshape(-1, 1, 1)) & (place <= 2 * wanted.reshape(-1, 1, 1)) & (sums > _never(sums) / 2)
    return reduced("ctc_loss", losses, reduction), where(real, sums, float("-inf"))


def _whole(lengths: Any) -> Any:
    return cast(lengths, int64) if isinstance(lengths, Tensor) else Tensor(lengths, int64)


def _never(x: Any) -> float:
    """The logarithm of nothing: low, but sums of it are finite."""
    return -1e30 if np.finfo(x.dtype.numpy).max > 1e30 else -3e4


def _between_blanks(targets: Any, blank: int) -> Any:
    """[N, 2 S + 1]: blanks with the targets between them."""
    blanks = zeros_like(targets) + blank
    pairs = stack([blanks, targets], 2).reshape(targets.shape[0], -1)
    return concat([pairs, blanks[:, :1]], 1)


def _reached(paths: Any, skips: Any) -> Any:
    """The logarithm of the sum of paths that stay, move on, or (where ``skips`` holds) leave a blank out."""
    never = zeros_like(paths[:, :1]) + _never(paths)
    one = concat([never, paths[:, :-1]], 1)
    two = concat([never, never, paths[:, :-2]], 1) if paths.shape[1] > 1 else one
    return _log_of_sum([paths, one, where(cast(skips, bool_)[:, : paths.shape[1]], two, _never(paths))])


def _log_of_sum(parts: list[Any]) -> Any:
    top = parts[0]
    for part in parts[1:]:
        top = maximum(top, part)
    total: Any = 0
    for part in parts:
        total = exp(part - top) + total
    return top + log(total)
