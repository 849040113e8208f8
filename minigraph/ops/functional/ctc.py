"""The loss of connectionist temporal classification (CTC) for label sequences that are not aligned with the input.

Problem: a network emits class probabilities for T steps, the target has fewer labels, and any alignment that reads as
the target after merging repeated labels and removing blanks is correct. The loss is the negative logarithm of the sum
of the probabilities of all alignments. The sum is computed by the forward algorithm of A. Graves et al., "Connectionist
temporal classification" (ICML 2006), section 4.1: a dynamic program over the target with a blank before, between and
after the labels. alpha[s] is the probability of all alignments of the first t steps that end at position s. A step
stays at s, advances from s - 1, or skips a blank from s - 2 if both labels differ.

The program works on logarithms; the logarithm of 0 is a large negative finite number, so that gradients stay finite.
Gradients come from automatic differentiation of the forward recursion, not from the backward variables of the paper.
After the end of a sequence its alphas no longer change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.aliases import Array, ArrayLike
from minigraph.core.errors import ShapeError
from minigraph.core.float_limits import float_limits
from minigraph.core.tensor import Tensor
from minigraph.core.types import bool_, int64
from minigraph.operators.pyfunc import call_python
from minigraph.ops.functional.arithmetic import maximum
from minigraph.ops.functional.creation import arange, zeros_like
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.elementary import exp, log
from minigraph.ops.functional.indexing import gather_elements, where
from minigraph.ops.functional.joining import concat, stack
from minigraph.ops.functional.loss import reduce_loss

__all__ = ["ctc_greedy_decoder", "ctc_loss"]


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: ArrayLike,
    target_lengths: ArrayLike,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> tuple[Tensor, Tensor]:
    """(the CTC loss of sequences (Graves et al. 2006), the logarithms of all forward variables).

    ``log_probs`` are [T,N,C], ``targets`` [N,S] classes other than ``blank``. "mean" divides each loss by the length of
    its target first. ``zero_infinity`` sets the loss of a target that cannot be aligned to 0.
    """
    if log_probs.ndim != 3 or targets.ndim != 2:
        shapes = f"{list(log_probs.shape)} and {list(targets.shape)}"
        raise ShapeError(f"ctc_loss: needs log_probs [T,N,C] and targets [N,S], got {shapes}")
    sizes = _as_int64(target_lengths)
    losses, alphas = alignment_losses(log_probs, targets, _as_int64(input_lengths), sizes, blank)
    losses = where(losses > 1e29, 0.0 if zero_infinity else float("inf"), losses)
    losses = losses / cast(maximum(sizes, 1), losses.dtype) if reduction == "mean" else losses
    return reduce_loss("ctc_loss", losses, reduction), alphas


def alignment_losses(
    log_probs: Tensor, targets: Tensor, lengths: Tensor, sizes: Tensor, blank: int, merge_repeated: bool = True
) -> tuple[Tensor, Tensor]:
    """(the CTC loss of each sequence, above 1e29 if it has no alignment, the logarithms of the forward variables).

    ``lengths`` and ``sizes``, those of the inputs and of the targets, are Int64. Without ``merge_repeated`` each step
    that is not blank is a label of the target.
    """
    steps, batch, _ = log_probs.shape
    labels = _interleave_blanks(cast(targets, int64), blank)
    skips = concat([Tensor(np.zeros((batch, 2), bool)), labels[:, 2:] != labels[:, :-2]], 1)
    stays = Tensor(np.ones(labels.shape[1], bool))
    if not merge_repeated:
        stays = Tensor(np.arange(labels.shape[1]) % 2 == 0)
        skips = Tensor(np.arange(labels.shape[1]) % 2 == 1) & Tensor(np.arange(labels.shape[1]) > 1)
    log_alpha = where(arange(labels.shape[1]) < 2, gather_elements(log_probs[0], 1, labels), _log_zero(log_probs))
    history = [log_alpha]
    for t in range(1, steps):
        new = _advance(log_alpha, skips, stays) + gather_elements(log_probs[t], 1, labels)
        log_alpha = where((t < lengths).expand_dims(1), new, log_alpha)
        history.append(new)
    ends = stack([2 * sizes, maximum(2 * sizes - 1, 0)], 1)
    final = gather_elements(log_alpha, 1, ends)
    final = where((sizes.expand_dims(1) == 0) & (arange(2) == 1), _log_zero(log_probs), final)
    losses = -_logsumexp([final[:, 0], final[:, 1]])
    alphas, step, s = stack(history, 1), arange(steps).reshape(-1, 1), arange(labels.shape[1])
    reachable = (step < lengths.reshape(-1, 1, 1)) & (s <= 2 * sizes.reshape(-1, 1, 1))
    reachable = reachable & (alphas > _log_zero(alphas) / 2)
    return losses, where(reachable, alphas, float("-inf"))


def _as_int64(lengths: ArrayLike) -> Tensor:
    return cast(lengths, int64) if isinstance(lengths, Tensor) else Tensor(lengths, int64)


def _log_zero(x: Tensor) -> float:
    """A stand-in for log(0): low, but sums of it are finite."""
    return -1e30 if float_limits(x.dtype.numpy).max > 1e30 else -3e4


def _interleave_blanks(targets: Tensor, blank: int) -> Tensor:
    """[N, 2 S + 1]: blanks before, between and after the targets."""
    blanks = zeros_like(targets) + blank
    pairs = stack([blanks, targets], 2).reshape(targets.shape[0], -1)
    return concat([pairs, blanks[:, :1]], 1)


def _advance(alpha: Tensor, skips: Tensor, stays: Tensor) -> Tensor:
    """The logarithm of alpha before emission: stay or skip a blank where ``stays`` and ``skips`` hold, or advance."""
    zero = zeros_like(alpha[:, :1]) + _log_zero(alpha)
    previous = concat([zero, alpha[:, :-1]], 1)
    skipped = concat([zero, zero, alpha[:, :-2]], 1) if alpha.shape[1] > 1 else previous
    skipped = where(cast(skips, bool_)[..., : alpha.shape[1]], skipped, _log_zero(alpha))
    return _logsumexp([where(stays, alpha, _log_zero(alpha)), previous, skipped])


def _logsumexp(terms: list[Tensor]) -> Tensor:
    largest = terms[0]
    for term in terms[1:]:
        largest = maximum(largest, term)
    total: Any = 0
    for term in terms:
        total = exp(term - largest) + total
    return largest + log(total)


def ctc_greedy_decoder(
    inputs: Tensor, sequence_length: Tensor, merge_repeated: bool = True
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The most probable class of each step, without blanks (the last class) and repeated classes, as a sparse matrix.

    ``inputs`` are [T,N,C]. Returns (positions [D,2], classes [D], shape of the matrix, -log of the probability [N,1]).
    The number of classes depends on the values, so it has no graph. Raises ``ShapeError`` for other ranks.

    >>> scores = Tensor([[[0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]]])
    >>> [x.tolist() for x in ctc_greedy_decoder(scores, Tensor([3]))]
    [[[0, 0], [0, 1]], [1, 0], [1, 2], [[-3.0]]]
    """
    if inputs.ndim != 3:
        raise ShapeError(f"ctc_greedy_decoder: needs inputs [T,N,C], got {inputs.type}")

    def decode(scores: Array, lengths: Array) -> tuple[Array, ...]:
        """Select the best class of every time step, and drop blanks and repetitions."""
        best, blank, positions, classes = scores.argmax(-1), scores.shape[-1] - 1, [], []
        totals = np.zeros((scores.shape[1], 1), scores.dtype)
        for row, length in enumerate(lengths):
            path, column, previous = best[:length, row], 0, blank
            totals[row] = -scores[:length, row].max(-1).sum()
            for label in path:
                if label != blank and not (merge_repeated and label == previous):
                    positions.append((row, column))
                    classes.append(label)
                    column += 1
                previous = label
        widest = max((column + 1 for _, column in positions), default=0)
        shape = np.array([scores.shape[1], widest], np.int64)
        return np.array(positions, np.int64).reshape(-1, 2), np.array(classes, np.int64), shape, totals

    results: tuple[Tensor, Tensor, Tensor, Tensor] = call_python(
        "ctc_greedy_decoder", decode, (inputs, sequence_length)
    )
    return results
