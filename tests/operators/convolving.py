"""Convolution and its gradients by their definition, one product at a time."""

import itertools

import numpy as np

from minigraph.operators.conv import padding_of, pair_of


def by_definition(x, w, stride=1, padding=0, dilation=1, group=1):
    (sy, sx), (dy, dx) = pair_of("", "", stride), pair_of("", "", dilation)
    x = np.pad(x, ((0, 0), (0, 0), *padding_of("", padding)))
    height = (x.shape[2] - dy * (w.shape[2] - 1) - 1) // sy + 1
    width = (x.shape[3] - dx * (w.shape[3] - 1) - 1) // sx + 1
    out = np.zeros((x.shape[0], w.shape[0], height, width))
    for o, i, j in itertools.product(range(w.shape[0]), range(height), range(width)):
        first = o // (w.shape[0] // group) * w.shape[1]
        rows = slice(i * sy, i * sy + dy * (w.shape[2] - 1) + 1, dy)
        columns = slice(j * sx, j * sx + dx * (w.shape[3] - 1) + 1, dx)
        seen = x[:, first : first + w.shape[1], rows, columns]
        out[:, o, i, j] = (seen * w[o]).sum((1, 2, 3))
    return out


def by_sums(g, x, w, stride=1, padding=1):
    """Both gradients by their definition, one product at a time."""
    border = ((0, 0), (0, 0), *padding_of("", padding))
    padded, (sy, sx) = np.pad(x, border), pair_of("", "", stride)
    dx, dw = np.zeros(padded.shape), np.zeros(w.shape)
    for n, o, y, z in np.ndindex(g.shape):
        place = n, slice(None), slice(sy * y, sy * y + w.shape[2]), slice(sx * z, sx * z + w.shape[3])
        dx[place] += g[n, o, y, z] * w[o]
        dw[o] += g[n, o, y, z] * padded[place]
    return dx[tuple(slice(low, n - high) for (low, high), n in zip(border, padded.shape, strict=True))], dw
