"""Attention against its formula in numpy float64, head by head."""

from functools import partial

import numpy as np

from minigraph import Tensor, errors, nn, ops
from tests.nn.cells import assert_close, is_random_in_training_only, names, tensor
from tests.tables import error_cases, every

rng = np.random.default_rng(1)
QUERY, KEY, VALUE = (rng.normal(size=(2, length, 4)) for length in (3, 5, 5))
GIVEN = tensor(QUERY), tensor(KEY), tensor(VALUE)
assert_near = partial(assert_close, rtol=1e-4, atol=1e-5)


def layer_of(heads=2, **options):
    layer = nn.MultiheadAttention(4, heads, batch_first=True, **options)
    if layer.in_proj_bias is not None:
        layer.in_proj_bias.set_data(tensor(rng.normal(size=12)))
    return layer


def attention(layer, query, key, value, added=0.0):
    """Outputs [N, L, E] and weights [N, heads, L, S]; ``added`` broadcasts to the scores."""
    weights = [w.asnumpy() for w in projections(layer)]
    bias = np.zeros(12) if layer.in_proj_bias is None else layer.in_proj_bias.asnumpy()
    q, k, v = (x @ w.T + b for x, w, b in zip((query, key, value), weights, bias.reshape(3, 4), strict=True))
    heads, size = layer.num_heads, 4 // layer.num_heads
    scores = np.stack([q[..., i : i + size] @ k[..., i : i + size].swapaxes(1, 2) for i in range(0, 4, size)], 1)
    scores = np.exp(scores / np.sqrt(size) + added)
    share = scores / scores.sum(-1, keepdims=True)
    mixed = np.concatenate([share[:, h] @ v[..., h * size : (h + 1) * size] for h in range(heads)], -1)
    out = layer.out_proj
    return mixed @ out.weight.asnumpy().T + (0 if out.bias is None else out.bias.asnumpy()), share


def projections(layer):
    if layer.in_proj_weight is None:
        return layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight
    return [layer.in_proj_weight[i * 4 : i * 4 + 4] for i in range(3)]


@every(heads=[1, 2, 4], has_bias=[True, False])
def test_formula(heads, has_bias):
    layer = layer_of(heads, has_bias=has_bias)
    out, weights = layer(*GIVEN)
    expected, share = attention(layer, QUERY, KEY, VALUE)
    assert_near(out, expected)
    assert_near(weights, share.mean(1))
    assert_near(layer(*GIVEN, average_attn_weights=False)[1], share)
    (alone,) = layer(*GIVEN, need_weights=False)
    assert alone.asnumpy().tobytes() == out.asnumpy().tobytes()


def test_keys_of_other_sizes_and_dropout_in_training_only():
    # keys and values of other sizes
    layer, key, value = layer_of(kdim=3, vdim=2), KEY[..., :3], VALUE[..., :2]
    assert_near(layer(*map(tensor, (QUERY, key, value)))[0], attention(layer, QUERY, key, value)[0])
    # dropout works on the weights in training only
    assert is_random_in_training_only(layer_of(dropout=0.5), *GIVEN)


def test_the_orders_of_axes_agree():
    layer = layer_of()
    out, weights = (result.asnumpy() for result in layer(*GIVEN))
    layer.batch_first = False
    for result, expected in (
        (layer(*(x.swapaxes(0, 1) for x in GIVEN)), (out.swapaxes(0, 1), weights)),
        (layer(*(x[0] for x in GIVEN)), (out[0], weights[0])),
    ):
        assert_near(result[0], expected[0])
        assert_near(result[1], expected[1])


HIDDEN = rng.uniform(size=(3, 5)) < 0.3
HIDDEN[:, 0] = False
PADDING = np.array([[False] * 5, [False, False, False, True, True]])


def as_additive(mask):
    return np.where(mask, -np.inf, 0.0)


def test_masks():
    layer, of_heads = layer_of(), rng.normal(size=(4, 3, 5))
    by_place, by_key = as_additive(HIDDEN), as_additive(PADDING)[:, None, None]
    hidden, padded = Tensor(HIDDEN), Tensor(PADDING)
    for padding, mask, added in (
        (None, hidden, by_place),
        (None, tensor(by_place), by_place),
        (padded, None, by_key),
        (tensor(as_additive(PADDING)), None, by_key),
        (padded, hidden, by_place + by_key),
        (None, tensor(of_heads), of_heads.reshape(2, 2, 3, 5)),
    ):
        assert_near(layer(*GIVEN, padding, attn_mask=mask)[0], attention(layer, QUERY, KEY, VALUE, added)[0])


def test_parameters_equal_mindspore():
    layer, outside = nn.MultiheadAttention(4, 2), ["out_proj.weight", "out_proj.bias"]
    assert names(layer) == ["in_proj_weight", "in_proj_bias", *outside]
    assert layer.in_proj_bias.asnumpy().tolist() == [0.0] * 12
    assert abs(layer.in_proj_weight.asnumpy()).max() <= np.sqrt(6 / 16)
    projections = ["q_proj_weight", "k_proj_weight", "v_proj_weight"]
    assert names(nn.MultiheadAttention(4, 2, has_bias=False, kdim=3)) == [*projections, *outside[:1]]


test_invalid_arguments_raise = error_cases(
    ((4, 3), {}, ValueError, "'embed_dim' must be divisible by 'num_heads'"),
    ((4, 2), {"add_bias_kv": True}, errors.UsageError, "add_bias_kv.* not supported"),
    ((4, 2), {"add_zero_attn": True}, errors.UsageError, "add_zero_attn.* not supported"),
    ((4, 2), {}, errors.ShapeError, r"sequences of rank 2 or 3, got shape \[4\]"),
    by=lambda sizes, options: nn.MultiheadAttention(*sizes, **options)(*[ops.ones((4,))] * 3),
)
