"""Padding layers against numpy, and the gradient of Pad."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from minigraph import Tensor, grad, nn
from minigraph.nn.layer.padding import FixedRankPad
from tests.nn.function_layers import LAYERS
from tests.tables import error_cases, every

X = np.arange(12, dtype=np.float32).reshape(2, 2, 3) / 4 - 1
PAD_LAYERS = [name for name, (layer, _) in LAYERS.items() if isinstance(layer, FixedRankPad)]
NUMPY_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge"}
pairs = st.tuples(st.integers(0, 2), st.integers(0, 2))


@given(st.tuples(pairs, pairs), st.sampled_from(["CONSTANT", "REFLECT", "SYMMETRIC"]))
def test_pad_equals_numpys(paddings, mode):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    pad = nn.Pad(paddings, mode)
    assert np.array_equal(pad(Tensor(x)).asnumpy(), np.pad(x, paddings, mode.lower()))
    weights = np.random.default_rng(0).normal(size=np.pad(x, paddings).shape).astype(np.float32)
    result = grad(lambda x: (pad(x) * Tensor(weights)).sum())(Tensor(x)).asnumpy()
    positions = np.pad(np.arange(1, 13).reshape(3, 4), paddings, mode.lower())
    np.testing.assert_allclose(result.ravel(), [weights[positions == i].sum() for i in range(1, 13)], rtol=1e-5)


@every(name=PAD_LAYERS)
def test_pad_layers_equal_numpys(name):
    layer, x = LAYERS[name]
    pairs = [layer.padding[at : at + 2] for at in range(0, len(layer.padding), 2)][::-1]
    widths = [(0, 0)] * (x.ndim - len(pairs)) + pairs
    value = {"constant_values": layer.value} if layer.mode == "constant" else {}
    np.testing.assert_array_equal(layer(Tensor(x)).asnumpy(), np.pad(x, widths, NUMPY_MODES[layer.mode], **value))


test_invalid_arguments_raise = error_cases(
    (lambda: nn.ConstantPad1d((1, 2, 3), 0.5), ValueError, "the padding must be one number or 2, but got"),
    (lambda: nn.ReflectionPad1d("a"), TypeError, "'padding' must be an integer or tuple, but got str"),
    (lambda: nn.Pad([[1, 1]]), TypeError, "^For 'Pad', the type of 'paddings' must be tuple, but got list."),
    (lambda: nn.Pad(((1, 1), (1,))), ValueError, r"^For 'Pad', the dimension of 'paddings' must be \(n, 2\), but got"),
    (lambda: nn.Pad(((1, -1),)), ValueError, r"^For 'Pad', the dimension of 'paddings' must be \(n, 2\)"),
    (lambda: nn.Pad(((1, 1),), "constant"), ValueError, "^For 'Pad', the 'mode' must be str and must be in '"),
    (lambda: nn.Pad(((1, 1),))(Tensor(X)), ValueError, "^For 'Pad', the length of 'paddings' .*, but got 1 vs 3"),
    (lambda: nn.Pad(((3, 0),), "REFLECT")(Tensor(X[0, 0])), ValueError, r"\(3, 0\) does not fit an axis of 3 elem"),
)
