"""``from_torch``: where a derivative jumps or is not defined, the gradients are those that torch chooses."""

import numpy as np
import pytest

import minigraph as ms

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
torch = pytest.importorskip("torch")
F, inf = torch.nn.functional, float("inf")
norm = torch.linalg.vector_norm

KINKS = [  # name, function, points
    ("relu", F.relu, [0, -1, 1]),
    ("relu6", F.relu6, [0, 6, 3, -1, 7]),
    ("hardtanh", lambda x: F.hardtanh(x, -2, 0.5), [-2, 0.5, 0]),
    ("elu", lambda x: F.elu(x, 2.0), [0, -1, 1]),
    ("selu", F.selu, [0, -1, 1]),
    ("celu", lambda x: F.celu(x, 2.0), [0, -1, 1]),
    ("hardswish", F.hardswish, [-3, 0, 3]),
    ("hardsigmoid", F.hardsigmoid, [-3, 0, 3]),
    ("hardshrink", F.hardshrink, [-0.5, 0, 0.5, 1]),
    ("softshrink", F.softshrink, [-0.5, 0, 0.5, 1]),
    ("threshold", lambda x: F.threshold(x, 1.0, 5.0), [1, 0, 2]),
    ("leaky_relu", F.leaky_relu, [0, -1, 1]),
    ("prelu", lambda x: F.prelu(x, torch.tensor([0.25])), [0, -1, 1]),
    ("rrelu", F.rrelu, [0, -1, 1]),
    ("softplus", F.softplus, [20, 0]),
    ("logsigmoid", F.logsigmoid, [0, 1, -1]),
    ("abs", torch.abs, [0, -1, 1]),
    ("maximum", lambda x: torch.maximum(x, x.flip(0)), [1, 2, 1]),
    ("minimum", lambda x: torch.minimum(x, torch.zeros(2)), [0, 1]),
    ("amax", lambda x: x.reshape(2, 2).amax((0, 1)), [1, 2, 2, 0]),
    ("amin", lambda x: x.amin(0), [1, 1, 2]),
    ("max", lambda x: x.max(), [1, 2, 2]),
    ("max.dim", lambda x: x.max(0).values, [1, 2, 2]),
    ("min.dim", lambda x: x.min(0).values, [1, 1, 2]),
    ("median", lambda x: x.median(), [1, 1, 3]),
    ("cummax", lambda x: x.cummax(0).values, [1, 1, 0, 1]),
    ("max_pool", lambda x: F.max_pool2d(x.reshape(1, 1, 2, 2), 2), [1, 1, 1, 0]),
    ("round", torch.round, [0.5, 1, 0.2]),
    ("floor", torch.floor, [0.5, 1]),
    ("fmod", lambda x: torch.fmod(x, 2.0), [2, 0, 1]),
    ("remainder", lambda x: torch.remainder(x.detach() + 2, x), [2, 1]),
    ("sqrt", torch.sqrt, [0, 1]),
    ("norm", norm, [0, 0]),
    ("norms", lambda x: x.reshape(2, 2).norm(dim=1), [0, 0, 1, 1]),
    ("norm of order 1", lambda x: norm(x, 1), [0, 1]),
    ("norm of order 1/2", lambda x: norm(x, 0.5), [0, 1]),
    ("norm of order 3", lambda x: norm(x, 3), [0, 0]),
    ("norm of order inf", lambda x: norm(x, inf), [1, 1, 0]),
    ("normalize", lambda x: F.normalize(x, dim=0), [0, 0]),
    ("cosine_similarity", lambda x: F.cosine_similarity(x, x.detach(), dim=0), [0, 0]),
    ("std", lambda x: x.std(), [1, 1]),
    ("where", lambda x: torch.where(x > 0, x, x * 2), [0, 1]),
    ("pow", lambda x: x.pow(0.0), [0, 1]),
    ("prod", lambda x: x.prod(), [0, 2, 3]),
    ("copysign", lambda x: torch.copysign(x, -torch.ones(3)), [0, 1, -1]),
    ("logaddexp", lambda x: torch.logaddexp(x, x.detach()), [0, 1]),
    ("xlogy", lambda x: torch.xlogy(x, x.detach()), [0, 1]),
    ("atan2", lambda x: torch.atan2(x, x.detach()), [0, 1]),
    ("sinc", torch.sinc, [0, 1]),
    ("l1_loss", lambda x: F.l1_loss(x, torch.zeros(2), reduction="none"), [0, 1]),
    ("smooth_l1_loss", lambda x: F.smooth_l1_loss(x, torch.zeros(3), reduction="none"), [0, 1, -1]),
]
if torch.__version__ >= torch.torch_version.TorchVersion("2.14"):  # before, the whole gradient passed at a bound
    KINKS += [
        ("clamp", lambda x: x.clamp(0, 1), [0, 1, 0.5, 2]),
        ("clamp to one side", lambda x: x.clamp(min=0), [0, 1]),
        ("clamp to tensors", lambda x: torch.clamp(x, torch.zeros(5), torch.ones(5)), [0, 1, 0.5, 2, -1]),
        ("bounds of clamp", lambda x: torch.clamp(torch.arange(3.0), min=x), [0, 1, 3]),
    ]


class Kinks(torch.nn.Module):
    """Every function at its points."""

    def forward(self, *points):
        return tuple(function(x) for (_, function, _), x in zip(KINKS, points, strict=True))


def test_gradients_at_kinks_are_torchs():
    points = [torch.tensor(values, dtype=torch.float32) for *_, values in KINKS]
    net = ms.from_torch(torch.export.export(Kinks(), tuple(points)))
    variables = [x.clone().requires_grad_() for x in points]
    weights = [torch.arange(1.0, y.numel() + 1).reshape(y.shape) for y in Kinks()(*variables)]
    sum((y * w).sum() for y, w in zip(Kinks()(*variables), weights, strict=True)).backward()

    def loss(*points):
        return sum((y * ms.Tensor(w.numpy())).sum() for y, w in zip(net(*points), weights, strict=True))

    gradients = ms.grad(loss, tuple(range(len(points))))(*(ms.Tensor(x.numpy()) for x in points))
    wrong = [
        f"{name}: {gradient.tolist()}, torch has {x.grad.tolist()}"
        for (name, *_), gradient, x in zip(KINKS, gradients, variables, strict=True)
        if not np.allclose(gradient.asnumpy(), x.grad.numpy(), rtol=1e-4, atol=1e-5)
    ]
    assert not wrong, "\n".join(wrong)


def test_the_padding_row_of_an_embedding_has_no_gradient():
    indices = torch.tensor([[0, 1], [2, 0]])
    for layer in (
        torch.nn.Embedding(4, 2, padding_idx=0),
        torch.nn.Embedding(4, 2, padding_idx=-2),
        torch.nn.Embedding(4, 2),
    ):
        net = ms.from_torch(torch.export.export(layer, (indices,)))
        layer(indices).square().sum().backward()
        (gradient,) = ms.grad(lambda i, net=net: net(i).square().sum(), None, net.trainable_params())(
            ms.Tensor(indices.numpy())
        )
        np.testing.assert_allclose(gradient.asnumpy(), layer.weight.grad.numpy(), rtol=1e-5)


@pytest.mark.parametrize("kind", ["Embedding", "EmbeddingBag"])
def test_gradients_scaled_by_frequency_are_refused(kind):
    indices = torch.tensor([[0, 1]])
    net = ms.from_torch(torch.export.export(getattr(torch.nn, kind)(4, 2, scale_grad_by_freq=True), (indices,)))
    with pytest.raises(ms.core.errors.ModelError, match="scale_grad_by_freq=True is not supported"):
        net(ms.Tensor(indices.numpy()))
