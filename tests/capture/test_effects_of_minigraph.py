"""What minigraph itself reads and writes outside of a graph, files, settings and initial weights, at every call."""

import ast
from pathlib import Path

import numpy as np
import pytest

from minigraph import (
    Tensor,
    dataset,
    get_context,
    jit,
    load_checkpoint,
    nn,
    save_checkpoint,
    set_context,
    set_seed,
)  # fmt: skip
from minigraph.capture import pure_calls
from minigraph.common.initializer import initializer
from minigraph.compilation import OpByOpWarning
from minigraph.core.errors import CaptureError


def reads_checkpoint(path):
    return lambda x: x * load_checkpoint(path)["w"].value()


def counts_lines(path):
    return lambda x: x * dataset.TextFileDataset(path).get_dataset_size()


def reads_vocabulary(path):
    return lambda x: x * len(dataset.text.Vocab.from_file(path).vocab())


def reads_array(path):
    return lambda x: x * float(np.fromfile(path, np.uint8)[-1])


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("reads", [reads_checkpoint, counts_lines, reads_vocabulary, reads_array])
@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
def test_a_file_is_read_at_every_call(reads, mode, tmp_path):
    path = str(tmp_path / "file.ckpt")
    compiled, results = jit(reads(path), capture_mode=mode), []
    for value in (1, 2, 3):
        if reads is reads_checkpoint:
            save_checkpoint([{"name": "w", "data": Tensor([float(value)])}], path)
        else:
            lines = "".join(f"{n}\n" for n in range(value))
            Path(path).write_bytes(bytes([0, value]) if reads is reads_array else lines.encode())
        results.append(compiled(Tensor([1.0])).item())
    assert results == [1.0, 2.0, 3.0]


# methods and functions that reach files
FILE_FUNCTIONS = {
    "open", "read_text", "write_text", "read_bytes", "write_bytes", "fromfile", "tofile", "memmap", "mkdir", "unlink",
    "rmtree", "listdir", "scandir", "iterdir", "glob", "safe_open", "mkstemp", "TemporaryDirectory",
    "NamedTemporaryFile",
}  # fmt: skip
# minigraph's code that reaches files, but whose effects no captured function sees
WITHOUT_EFFECTS = {
    "cli": "commands", "lessons": "commands", "compilation/disk_cache.py": "the same programs, sooner",
    "core/missing_names.py": "data of the package", "core/refused_names.py": "data of the package",
    "core/worker_processes.py": "the streams of a process", "dataset/digits.py": "data of the package",
    "npu/host.py": "data of the package",
}  # fmt: skip


def functions_that_reach_files():
    """The file below ``minigraph`` and the name of each function that calls one of ``FILE_FUNCTIONS``."""
    root = Path(pure_calls.__file__).parents[1]
    for file in sorted(root.rglob("*.py")):
        for function in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef):
                called = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
                names = {getattr(fn, "id", getattr(fn, "attr", "")) for fn in called}
                if names & FILE_FUNCTIONS:
                    yield file.relative_to(root).as_posix(), function.name


def test_all_code_that_reaches_files_is_known_to_have_effects_or_to_have_none():
    found = set(functions_that_reach_files())
    unknown = {
        (file, function) for file, function in found
        if not file.startswith(pure_calls.EFFECT_FILES) and (file, function) not in pure_calls.EFFECT_FUNCTIONS
        and not file.startswith(tuple(WITHOUT_EFFECTS))
    }  # fmt: skip
    assert not unknown, "add them to EFFECT_FILES or EFFECT_FUNCTIONS, or to WITHOUT_EFFECTS with a reason"
    assert all(any(file.startswith(path) for file, _ in found) for path in WITHOUT_EFFECTS)


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
def test_an_array_is_written_to_a_file_at_every_call(mode, tmp_path):
    path = tmp_path / "array.bin"

    def writes(x):
        np.arange(3).tofile(path)
        return x

    compiled = jit(writes, capture_mode=mode)
    for _ in range(3):
        path.unlink(missing_ok=True)
        compiled(Tensor([1.0]))
        assert path.exists()


def seeds(x):
    dataset.config.set_seed(7)
    return x


def sets_context(x):
    set_context(nondifferentiable="error")
    return x


@pytest.mark.parametrize(("changes", "reset", "value", "changed"), [
    (seeds, lambda: dataset.config.set_seed(1), dataset.config.get_seed, 7),
    (sets_context, lambda: set_context(nondifferentiable="warn"), lambda: get_context("nondifferentiable"), "error"),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
def test_a_setting_is_changed_at_every_call(changes, reset, value, changed):
    before = dataset.config.get_seed()
    try:
        for mode in ("ast", "trace"):
            compiled = jit(changes, capture_mode=mode)
            for _ in range(3):
                reset()
                compiled(Tensor([1.0]))
                assert value() == changed
    finally:
        reset()
        dataset.config.set_seed(before)


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
def test_initial_weights_are_drawn_at_every_call_and_by_no_failed_capture(mode):
    def noisy(x):
        return x + initializer("normal", x.shape, x.dtype).init_data()

    set_seed(1)
    eager = [noisy(Tensor([1.0])).item() for _ in range(4)]
    set_seed(1)
    compiled = jit(noisy, capture_mode=mode)
    assert [compiled(Tensor([1.0])).item() for _ in range(4)] == eager
    with pytest.raises(CaptureError, match=r"initial weights are drawn in `initializer\("):
        jit(noisy, fullgraph=True)(Tensor([1.0]))


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_a_layer_whose_weights_are_constants_is_made_in_a_graph_and_draws_nothing(mode):
    def normalized(x):
        return nn.GroupNorm(2, 4)(x)

    x = Tensor(np.arange(8.0, dtype=np.float32).reshape(2, 4, 1, 1))
    compiled = jit(normalized, fullgraph=True, capture_mode=mode)
    set_seed(1)
    following = initializer("normal", (1,)).item()
    set_seed(1)
    assert [compiled(x).tolist() for _ in range(2)] == [normalized(x).tolist()] * 2
    assert initializer("normal", (1,)).item() == following


def test_a_layer_that_is_made_at_the_first_call_is_captured_at_the_second():
    class Lazy(nn.Cell):
        layer = None

        def construct(self, x):
            if self.layer is None:
                self.layer = nn.Dense(1, 1)
            return self.layer(x)

    net = Lazy()
    compiled = jit(lambda x: net(x))
    with pytest.warns(OpByOpWarning, match="this call of .* runs op by op"):
        first = compiled(Tensor([[1.0]]))
    assert compiled(Tensor([[1.0]])).tolist() == first.tolist()
    assert compiled.cache_info().entries == 1
