"""Reference implementations in numpy that several tests compare with."""

from itertools import product

import numpy as np


def convolve(x, w, stride, padding, dilation, groups):
    """Convolution of any rank by its definition; strides and dilations are one number or one per axis."""
    sizes = w.shape[2:]
    x = np.pad(x, [(0, 0), (0, 0), *padding])
    strides, dilations = (np.broadcast_to(value, len(sizes)).tolist() for value in (stride, dilation))
    windows = list(zip(strides, dilations, strict=True))
    counts = [(n - d * (k - 1) - 1) // s + 1 for n, k, (s, d) in zip(x.shape[2:], sizes, windows, strict=True)]
    result = np.zeros((x.shape[0], w.shape[0], *counts))
    in_channels, out_channels = w.shape[1], w.shape[0] // groups
    for offsets in product(*map(range, sizes)):
        ends = [(at * d, at * d + (n - 1) * s + 1, s) for at, n, (s, d) in zip(offsets, counts, windows, strict=True)]
        taps = x[(..., *(slice(*end) for end in ends))]
        for group in range(groups):
            filters = slice(group * out_channels, (group + 1) * out_channels)
            channels = taps[:, group * in_channels : (group + 1) * in_channels]
            result[:, filters] += np.einsum("nc...,oc->no...", channels, w[(filters, slice(None), *offsets)])
    return result
