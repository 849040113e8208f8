"""Recurrent layers against the same loops in numpy float64."""

import numpy as np

from minigraph import Tensor, errors, int32, nn
from tests.nn.cells import is_random_in_training_only, tensor
from tests.tables import error_cases, every

rng = np.random.default_rng(1)
STEPS, BATCH, INPUTS, SIZE = 5, 3, 4, 2
X = rng.normal(size=(STEPS, BATCH, INPUTS))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def rnn_step(x, h, state):
    return (np.tanh(x + h),)


def relu_step(x, h, state):
    return (np.maximum(x + h, 0),)


def lstm_step(x, h, state):
    i, f, g, o = np.split(x + h, 4, 1)
    c = sigmoid(f) * state[1] + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def gru_step(x, h, state):
    r, z = (sigmoid(x[:, i * SIZE : i * SIZE + SIZE] + h[:, i * SIZE : i * SIZE + SIZE]) for i in (0, 1))
    n = np.tanh(x[:, 2 * SIZE :] + r * h[:, 2 * SIZE :])
    return ((1 - z) * n + z * state[0],)


KINDS = {
    "RNN": (lambda **options: nn.RNN(INPUTS, SIZE, **options), rnn_step, 1),
    "relu RNN": (lambda **options: nn.RNN(INPUTS, SIZE, nonlinearity="relu", **options), relu_step, 1),
    "LSTM": (lambda **options: nn.LSTM(INPUTS, SIZE, **options), lstm_step, 2),
    "GRU": (lambda **options: nn.GRU(INPUTS, SIZE, **options), gru_step, 1),
}


def run(layer, step, x, first, lengths, suffix):
    """Outputs [L, N, SIZE] and last state of one direction; each sequence ends at its own length."""

    def parameter(name):
        result = getattr(layer, name + suffix, None)
        return 0.0 if result is None else result.asnumpy().astype(np.float64)

    outputs, last = np.zeros((*x.shape[:2], SIZE)), [part.copy() for part in first]
    for n, length in enumerate(lengths):
        state = tuple(part[n : n + 1] for part in first)
        for t in range(length)[::-1] if suffix.endswith("reverse") else range(length):
            gates = x[t, n : n + 1] @ parameter("weight_ih").T + parameter("bias_ih")
            state = step(gates, state[0] @ parameter("weight_hh").T + parameter("bias_hh"), state)
            outputs[t, n] = state[0][0]
        for part, value in zip(last, state, strict=True):
            part[n] = value[0]
    return outputs, last


def reference(layer, step, first, lengths):
    x, last = X, []
    for k in range(layer.num_layers):
        sides = []
        for direction in layer.directions:
            outputs, state = run(layer, step, x, [part[len(last)] for part in first], lengths, f"_l{k}{direction}")
            sides.append(outputs)
            last.append(state)
        x = np.concatenate(sides, -1)
    return x, [np.stack([state[i] for state in last]) for i in range(len(first))]


def flat_arrays(structure):
    outputs, last = structure
    return [x.asnumpy() for x in (outputs, *(last if isinstance(last, tuple) else (last,)))]


@every(kind=KINDS)
@every(options=[{}, {"has_bias": False}, {"num_layers": 2, "bidirectional": True}], ids=str)
@every(lengths=[None, [5, 2, 0]], initial=[False, True])
def test_the_loop(kind, options, initial, lengths):
    make, step, states = KINDS[kind]
    layer = make(**options)
    shape = (layer.num_layers * len(layer.directions), BATCH, SIZE)
    first = [rng.normal(size=shape) if initial else np.zeros(shape) for _ in range(states)]
    hx = None if not initial else tuple(map(tensor, first)) if states > 1 else tensor(first[0])
    result = layer(tensor(X), hx, None if lengths is None else Tensor(lengths, int32))
    outputs, last = reference(layer, step, first, lengths or [STEPS] * BATCH)
    for actual, expected in zip(flat_arrays(result), [outputs, *last], strict=True):
        assert actual.shape == expected.shape
        np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)


@every(kind=KINDS)
def test_the_batch_may_come_first(kind):
    layer = KINDS[kind][0]()
    outputs, *last = flat_arrays(layer(tensor(X)))
    layer.batch_first = True
    transposed, *same = flat_arrays(layer(tensor(X.swapaxes(0, 1))))
    assert transposed.swapaxes(0, 1).tobytes() == outputs.tobytes()
    assert [a.tobytes() for a in same] == [a.tobytes() for a in last]


def test_parameters_equal_mindspore_and_dropout_is_in_training_only():
    # parameters as in MindSpore
    layer = nn.GRU(INPUTS, SIZE, 2, bidirectional=True)
    sizes = {"weight_ih_l0": INPUTS, "weight_ih_l1": 2 * SIZE, "weight_hh": SIZE}
    kinds = "weight_ih", "weight_hh", "bias_ih", "bias_hh"
    result = {p.name: p.shape for p in layer.get_parameters()}
    assert list(result) == [
        f"{kind}_l{i}{direction}" for kind in kinds for i in (0, 1) for direction in ("", "_reverse")
    ]
    for name, shape in result.items():
        assert shape == (3 * SIZE, *(size for start, size in sizes.items() if name.startswith(start)))
    assert max(abs(p.asnumpy()).max() for p in layer.get_parameters()) <= SIZE**-0.5
    # dropout between layers in training only
    assert is_random_in_training_only(nn.LSTM(INPUTS, SIZE, 2, dropout=0.5), tensor(X))


test_invalid_arguments_raise = error_cases(
    (lambda: nn.LSTM(0, 2), ValueError, "the 'input_size' must be int and must > 0"),
    (lambda: nn.RNN(4, 2, nonlinearity="sin"), ValueError, "must be in .'tanh', 'relu'., but got sin"),
    (lambda: nn.GRU(4, 2)(tensor(X[0])), errors.ShapeError, r"x must be \[L, N, 4\], got shape \[3, 4\]"),
    (lambda: nn.GRU(3, 2)(tensor(X)), errors.ShapeError, r"x must be \[L, N, 3\]"),
    (lambda: nn.LSTM(4, 2)(tensor(X), tensor(X)), errors.ShapeError, r"hx must be 2 of shape \[1, 3, 2\]"),
)
