"""Reference implementations in numpy that several tests compare with."""

from itertools import product

import numpy as np


def convolve(x, w, stride, padding, dilation, groups):
    """Convolution of any rank by its definition; strides and dilations are one number or one per axis."""
    sizes = w.shape[2:]
    x = np.pad(x, [(0, 0), (0, 0), *padding])
    strides, dilations = (np.broadcast_to(value, len(sizes)).tolist() for value in (stride, dilation))
    moves = list(zip(strides, dilations, strict=True))
    counts = [(n - d * (k - 1) - 1) // s + 1 for n, k, (s, d) in zip(x.shape[2:], sizes, moves, strict=True)]
    result = np.zeros((x.shape[0], w.shape[0], *counts))
    inside, outside = w.shape[1], w.shape[0] // groups
    for offsets in product(*map(range, sizes)):
        ends = [(at * d, at * d + (n - 1) * s + 1, s) for at, n, (s, d) in zip(offsets, counts, moves, strict=True)]
        cut = x[(..., *(slice(*end) for end in ends))]
        for group in range(groups):
            some = slice(group * outside, (group + 1) * outside)
            part = cut[:, group * inside : (group + 1) * inside]
            result[:, some] += np.einsum("nc...,oc->no...", part, w[(some, slice(None), *offsets)])
    return result
