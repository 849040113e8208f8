"""``from_torch``: accepted arguments."""

import numpy as np
import pytest

import minigraph as ms
from minigraph.cli.target import load_target
from minigraph.core.errors import ModelError, UsageError
from tests.tables import error_cases

test_other_objects_are_refused = error_cases(
    (lambda: ms.from_torch(3), ModelError, "from_torch: got int; pass the ExportedProgram that torch.export.export"),
)


@pytest.fixture
def program():
    torch = pytest.importorskip("torch")
    return torch.export.export(torch.nn.Linear(3, 2), (torch.ones(4, 3),))


def test_a_missing_file_is_refused(tmp_path):
    """Whether torch is installed or not."""
    with pytest.raises((ModelError, UsageError), match=r"torch is not installed; pip|net.pt2' cannot be read"):
        ms.from_torch(tmp_path / "net.pt2")


@pytest.mark.filterwarnings("ignore")
def test_a_saved_program_is_a_target_of_the_command_line(program, tmp_path):
    torch = pytest.importorskip("torch")
    path = tmp_path / "net.pt2"
    torch.export.save(program, path)
    target = load_target(str(path))
    (x,) = target.inputs
    expected = program.module()(torch.from_numpy(x.asnumpy())).detach().numpy()
    np.testing.assert_allclose(target.function(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_a_decomposed_program_is_imported_as_it_is(program):
    net = ms.from_torch(program.run_decompositions())
    assert net(ms.Tensor(np.ones((4, 3), np.float32))).shape == (4, 2)
