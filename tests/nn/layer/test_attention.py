"""Attention against its formula in numpy float64, head by head."""

import numpy as np
import pytest

from minigraph import Tensor, errors, nn, ops
from tests.tables import every

rng = np.random.default_rng(1)
QUERY, KEY, VALUE = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4)), rng.normal(size=(2, 5, 4))


def tensor(x):
    return Tensor(np.asarray(x, np.float32))


def layer_of(heads=2, **options):
    layer = nn.MultiheadAttention(4, heads, batch_first=True, **options)
    if layer.in_proj_bias is not None:
        layer.in_proj_bias.set_data(tensor(rng.normal(size=12)))
    return layer


def attended(layer, query, key, value, added=0.0):
    """Outputs [N, L, E] and weights [N, heads, L, S]; ``added`` broadcasts to the scores."""
    weights = [w.asnumpy() for w in parts(layer)]
    bias = np.zeros(12) if layer.in_proj_bias is None else layer.in_proj_bias.asnumpy()
    q, k, v = (x @ w.T + b for x, w, b in zip((query, key, value), weights, bias.reshape(3, 4), strict=True))
    heads, size = layer.num_heads, 4 // layer.num_heads
    scores = np.stack([q[..., i : i + size] @ k[..., i : i + size].swapaxes(1, 2) for i in range(0, 4, size)], 1)
    scores = np.exp(scores / np.sqrt(size) + added)
    share = scores / scores.sum(-1, keepdims=True)
    mixed = np.concatenate([share[:, h] @ v[..., h * size : (h + 1) * size] for h in range(heads)], -1)
    out = layer.out_proj
    return mixed @ out.weight.asnumpy().T + (0 if out.bias is None else out.bias.asnumpy()), share


def parts(layer):
    if layer.in_proj_weight is None:
        return layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight
    return [layer.in_proj_weight[i * 4 : i * 4 + 4] for i in range(3)]


def assert_close(found, wanted):
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-4, atol=1e-5)


@every(heads=[1, 2, 4], has_bias=[True, False])
def test_formula(heads, has_bias):
    layer = layer_of(heads, has_bias=has_bias)
    out, weights = layer(tensor(QUERY), tensor(KEY), tensor(VALUE))
    wanted, share = attended(layer, QUERY, KEY, VALUE)
    assert_close(out, wanted)
    assert_close(weights, share.mean(1))
    per_head = layer(tensor(QUERY), tensor(KEY), tensor(VALUE), average_attn_weights=False)[1]
    assert_close(per_head, share)
    (alone,) = layer(tensor(QUERY), tensor(KEY), tensor(VALUE), need_weights=False)
    assert alone.asnumpy().tobytes() == out.asnumpy().tobytes()


def test_keys_and_values_of_other_sizes():
    layer, key, value = layer_of(kdim=3, vdim=2), KEY[..., :3], VALUE[..., :2]
    assert_close(layer(tensor(QUERY), tensor(key), tensor(value))[0], attended(layer, QUERY, key, value)[0])


def test_the_orders_of_axes_agree():
    layer = layer_of()
    out, weights = layer(tensor(QUERY), tensor(KEY), tensor(VALUE))
    layer.batch_first = False
    turned = [tensor(x.swapaxes(0, 1)) for x in (QUERY, KEY, VALUE)]
    assert_close(layer(*turned)[0], out.asnumpy().swapaxes(0, 1))
    assert_close(layer(*turned)[1], weights.asnumpy())
    single = layer(*(tensor(x[0]) for x in (QUERY, KEY, VALUE)))
    assert_close(single[0], out.asnumpy()[0])
    assert_close(single[1], weights.asnumpy()[0])


HIDDEN = rng.uniform(size=(3, 5)) < 0.3
HIDDEN[:, 0] = False
PADDING = np.array([[False] * 5, [False, False, False, True, True]])


def minus_infinity(mask):
    return np.where(mask, -np.inf, 0.0)


def test_masks():
    layer, inputs = layer_of(), (tensor(QUERY), tensor(KEY), tensor(VALUE))
    by_place, by_key = minus_infinity(HIDDEN), minus_infinity(PADDING)[:, None, None]
    for mask in (Tensor(HIDDEN), tensor(by_place)):
        assert_close(layer(*inputs, attn_mask=mask)[0], attended(layer, QUERY, KEY, VALUE, by_place)[0])
    for mask in (Tensor(PADDING), tensor(minus_infinity(PADDING))):
        assert_close(layer(*inputs, mask)[0], attended(layer, QUERY, KEY, VALUE, by_key)[0])
    both = attended(layer, QUERY, KEY, VALUE, by_place + by_key)[0]
    assert_close(layer(*inputs, Tensor(PADDING), attn_mask=Tensor(HIDDEN))[0], both)
    of_heads = rng.normal(size=(4, 3, 5))
    wanted = attended(layer, QUERY, KEY, VALUE, of_heads.reshape(2, 2, 3, 5))[0]
    assert_close(layer(*inputs, attn_mask=tensor(of_heads))[0], wanted)


def test_dropout_works_on_the_weights_in_training_only():
    layer, inputs = layer_of(dropout=0.5), (tensor(QUERY), tensor(KEY), tensor(VALUE))
    quiet = layer(*inputs)[0].asnumpy()
    assert layer(*inputs)[0].asnumpy().tobytes() == quiet.tobytes()
    assert layer.set_train()(*inputs)[0].asnumpy().tobytes() != quiet.tobytes()


def test_parameters_are_those_of_mindspore():
    names = ["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"]
    layer = nn.MultiheadAttention(4, 2)
    assert [p.name for p in layer.get_parameters()] == names
    assert layer.in_proj_bias.asnumpy().tolist() == [0.0] * 12
    assert abs(layer.in_proj_weight.asnumpy()).max() <= np.sqrt(6 / 16)
    names = ["q_proj_weight", "k_proj_weight", "v_proj_weight", "out_proj.weight"]
    assert [p.name for p in nn.MultiheadAttention(4, 2, has_bias=False, kdim=3).get_parameters()] == names


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="'embed_dim' must be divisible by 'num_heads'"):
        nn.MultiheadAttention(4, 3)
    for name in ("add_bias_kv", "add_zero_attn"):
        with pytest.raises(errors.UsageError, match=f"{name}.* not supported"):
            nn.MultiheadAttention(4, 2, **{name: True})
    with pytest.raises(errors.ShapeError, match=r"sequences of rank 2 or 3, got shape \[4\]"):
        nn.MultiheadAttention(4, 2)(*[ops.ones((4,))] * 3)
