"""Constants, identities and Dirac kernels."""

import numpy as np

from minigraph import Tensor, errors, ops
from minigraph.common.initializer import Dirac, Identity, initializer
from tests.tables import error_cases, every


def test_constants_and_identities():
    assert initializer("zeros", 2).tolist() == [0, 0]
    assert initializer(2.5, 2).tolist() == [2.5, 2.5]
    assert initializer(Identity(), (2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]


@every(groups=[1, 2])
def test_a_convolution_with_a_dirac_kernel_preserves_its_input(groups):
    x = Tensor(np.random.default_rng(0).standard_normal((2, 4, 5, 5)).astype(np.float32))
    weight = initializer(Dirac(groups), (4, 4 // groups, 3, 3))
    assert np.array_equal(ops.conv2d(x, weight, pad_mode="same", groups=groups).array, x.array)


test_shapes_that_do_not_fit = error_cases(
    (Identity(), (2, 2, 2), r"^Identity: supports 2 dimensions, got 3 in \[2, 2, 2\]; choose another initializer"),
    (Dirac(), (2, 2), r"^Dirac: supports 3 to 5 dimensions, got 2 in \[2, 2\]"),
    (Dirac(3), (4, 2, 1), r"^Dirac: 4 channels in \[4, 2, 1\] are not 3 equal groups"),
    by=initializer,
    error=errors.ShapeError,
)
