"""Complex numbers and transforms of whole torch programs, and their gradients."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops
from minigraph.importers.torch.signals import windows
from tests.tables import results

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
X = np.random.default_rng(3).normal(size=(2, 16)).astype(np.float32)


def spectrogram(torch, x):
    return torch.stft(x, 8, 4, window=torch.hann_window(8), return_complex=True).abs()


def rotary(torch, x):
    pairs = torch.view_as_complex(x.reshape(2, 8, 2))
    turns = torch.polar(torch.ones(8), torch.arange(8) / 8)
    return torch.view_as_real(pairs * turns).flatten(1)


def round_trip(torch, x):
    return torch.fft.irfft(torch.fft.rfft(x, norm="ortho") * 0.5, n=16, norm="ortho")


@pytest.mark.parametrize("function", [spectrogram, rotary, round_trip])
def test_programs_have_results_and_gradients_of_torch(function):
    torch = pytest.importorskip("torch")

    class Program(torch.nn.Module):
        def forward(self, x):
            return function(torch, x)

    x = torch.from_numpy(X).requires_grad_()
    net = ms.from_torch(torch.export.export(Program(), (torch.from_numpy(X),)))
    expected = Program()(x)
    for call in (net, ms.jit(net)):
        np.testing.assert_allclose(call(Tensor(X)).asnumpy(), expected.detach().numpy(), rtol=1e-4, atol=1e-5)
    (expected**2).sum().backward()
    gradient = ms.grad(lambda x: (net(x) ** 2).sum())(Tensor(X))
    np.testing.assert_allclose(gradient.asnumpy(), x.grad.numpy(), rtol=1e-3, atol=1e-4)


test_windows_along_an_axis = results(
    lambda *args: windows(*args).asnumpy().tolist(),
    (ops.arange(4), 0, 2, 1, [[0, 1], [1, 2], [2, 3]]),
    (ops.arange(4).reshape(2, 2), 0, 2, 1, [[[0, 2], [1, 3]]]),
    (ops.arange(4).reshape(2, 2), -1, 1, 1, [[[0], [1]], [[2], [3]]]),
)
