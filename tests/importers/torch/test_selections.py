"""Converters of views, selections and new tensors; torch is not needed."""

import numpy as np

from minigraph import Tensor
from minigraph.core.types import bool_, float32, int64
from minigraph.importers.torch.selections import CONVERTERS, default_dtype
from tests.tables import results

X = Tensor(np.arange(6.0).reshape(2, 3))
ROW, COLUMN = Tensor([1, 1]), Tensor([0, 0])

test_rows = results(
    lambda name, args: CONVERTERS[name](*args).tolist(),
    ("slice", (X, -1, 1, 2**63 - 1), [[1, 2], [4, 5]]),
    ("as_strided", (X, (3, 2), (1, 3)), [[0, 3], [1, 4], [2, 5]]),
    ("index_put", (X, (ROW, COLUMN), Tensor([1.0, 1.0]), True), [[0, 1, 2], [5, 4, 5]]),
    ("index_put", (X, (X > 3,), Tensor(0.0)), [[0, 1, 2], [3, 0, 0]]),
    ("constant_pad_nd", (X, (-1, 1)), [[1, 2, 0], [4, 5, 0]]),
    ("select_scatter", (X, Tensor([7.0, 8.0]), 1, -1), [[0, 1, 7], [3, 4, 8]]),
    ("cat", ((X, Tensor([])), 0), X.tolist()),
    ("copy", (X, Tensor([1, 2, 3])), [[1, 2, 3]] * 2),
)
test_numbers_have_torchs_dtypes = results(default_dtype, (True, bool_), (2, int64), (2.0, float32))
