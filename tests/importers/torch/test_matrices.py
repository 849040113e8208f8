"""Linear algebra of torch programs: results of whole programs, whose factors are unique only together."""

import numpy as np
import pytest

import minigraph as ms
from minigraph.core.errors import UsageError
from minigraph.importers.torch.matrices import pinv
from tests.tables import cases

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
PROGRAMS = {
    "solve": lambda t, a, b: t.linalg.solve(a, b),
    "solve of a vector": lambda t, a, b: t.linalg.solve(a, b[:, 0]),
    "solve from the right": lambda t, a, b: t.linalg.solve(a, b.mT, left=False),
    "cholesky": lambda t, a, b: t.linalg.cholesky(a),
    "upper cholesky": lambda t, a, b: t.linalg.cholesky(a, upper=True),
    "cholesky_solve": lambda t, a, b: t.cholesky_solve(b, t.linalg.cholesky(a)),
    "cholesky_inverse": lambda t, a, b: t.cholesky_inverse(t.linalg.cholesky(a)),
    "triangle": lambda t, a, b: t.linalg.solve_triangular(a.tril(), b, upper=False),
    "triangle from the right": lambda t, a, b: t.linalg.solve_triangular(a.triu(), b.mT, upper=True, left=False),
    "triangle of ones": lambda t, a, b: t.linalg.solve_triangular(a.triu(), b, upper=True, unitriangular=True),
    "qr": lambda t, a, b: (lambda q, r: q @ r)(*t.linalg.qr(b)),
    "complete qr": lambda t, a, b: (lambda q, r: q @ r)(*t.linalg.qr(b, mode="complete")),
    "svd": lambda t, a, b: (lambda u, s, v: (u * s) @ v)(*t.linalg.svd(b, full_matrices=False)),
    "all vectors of svd": lambda t, a, b: (lambda u, s, v: (u[:, :2] * s) @ v)(*t.linalg.svd(b)),
    "svdvals": lambda t, a, b: t.linalg.svdvals(b),
    "condition number": lambda t, a, b: t.linalg.cond(a),
    "spectral norm": lambda t, a, b: t.linalg.norm(b, 2),
    "rank": lambda t, a, b: t.linalg.matrix_rank(a),
    "pinv": lambda t, a, b: t.linalg.pinv(b),
    "matrix_exp": lambda t, a, b: t.linalg.matrix_exp(a * 0.1),
    "logcumsumexp": lambda t, a, b: t.logcumsumexp(a, 0),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_have_the_results_of_torch(name):
    torch = pytest.importorskip("torch")

    class Program(torch.nn.Module):
        def forward(self, a, b):
            return PROGRAMS[name](torch, a, b)

    rng = np.random.default_rng(1)
    a, b = (rng.normal(size=shape).astype(np.float32) for shape in ((3, 3), (3, 2)))
    a = a @ a.T + np.eye(3, dtype=np.float32)
    module, inputs = Program(), (torch.from_numpy(a), torch.from_numpy(b))
    net = ms.from_torch(torch.export.export(module, inputs))
    expected = module(*inputs).numpy()
    for call in (net, ms.jit(net)):
        result = call(ms.Tensor(a), ms.Tensor(b)).asnumpy()
        assert result.shape == expected.shape
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


@cases(*((mode, options) for mode in ("sum", "mean", "max") for options in ({}, {"padding_idx": 0})))
def test_bags_of_embeddings(mode, options):
    torch = pytest.importorskip("torch")
    bags = torch.nn.EmbeddingBag(6, 3, mode=mode, **options)

    class Bags(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bags = bags

        def forward(self, indices, offsets):
            return self.bags(indices.reshape(3, 4)), self.bags(indices, offsets)

    indices, offsets = torch.tensor([1, 0, 2, 5, 0, 0, 0, 0, 3, 3, 4, 0]), torch.tensor([0, 3, 3, 7])
    net = ms.from_torch(torch.export.export(Bags(), (indices, offsets)))
    results = net(ms.Tensor(indices.numpy()), ms.Tensor(offsets.numpy()))
    for result, expected in zip(results, Bags()(indices, offsets), strict=True):
        np.testing.assert_allclose(result.asnumpy(), expected.detach().numpy(), rtol=1e-6)


def test_weights_of_the_rows_of_bags():
    torch = pytest.importorskip("torch")
    bags = torch.nn.EmbeddingBag(6, 3, mode="sum", include_last_offset=True)
    inputs = torch.tensor([1, 0, 2, 5]), torch.tensor([0, 3, 4]), torch.tensor([1.0, 2.0, 3.0, 4.0])
    net = ms.from_torch(torch.export.export(bags, inputs))
    result = net(*(ms.Tensor(array.numpy()) for array in inputs)).asnumpy()
    np.testing.assert_allclose(result, bags(*inputs).detach().numpy(), rtol=1e-6)


def test_an_absolute_limit_of_the_pseudo_inverse_is_refused():
    with pytest.raises(UsageError, match="linalg_pinv: only a relative limit that is a number"):
        pinv(ms.Tensor([[1.0]]), atol=0.1)
