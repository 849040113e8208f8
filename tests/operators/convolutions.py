"""Convolution and its gradients from their definition, one product at a time."""

import numpy as np

from minigraph.operators.conv import padding_of, pair_of
from tests.references import convolve


def by_definition(x, w, stride=1, padding=0, dilation=1, group=1):
    return convolve(x, w, pair_of("", "", stride), padding_of("", padding), pair_of("", "", dilation), group)


def by_sums(g, x, w, stride=1, padding=1):
    """Both gradients by their definition, one product at a time."""
    border = ((0, 0), (0, 0), *padding_of("", padding))
    padded, (sy, sx) = np.pad(x, border), pair_of("", "", stride)
    dx, dw = np.zeros(padded.shape), np.zeros(w.shape)
    for n, o, y, z in np.ndindex(g.shape):
        window = n, slice(None), slice(sy * y, sy * y + w.shape[2]), slice(sx * z, sx * z + w.shape[3])
        dx[window] += g[n, o, y, z] * w[o]
        dw[o] += g[n, o, y, z] * padded[window]
    return dx[tuple(slice(low, n - high) for (low, high), n in zip(border, padded.shape, strict=True))], dw
