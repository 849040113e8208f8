import pytest

from minigraph.cli.target import parse_dims
from minigraph.core.errors import UsageError
from tests.tables import cases

onnx = pytest.importorskip("onnx")


RULES = """import passes
from minigraph import ops
relu = passes.fuse("Relu", lambda x: ops.relu(x))
"""


@pytest.fixture
def net(tmp_path, monkeypatch):
    """A model file with a symbolic dim, in the current folder."""
    monkeypatch.chdir(tmp_path)
    text = '<ir_version: 8, opset_import: ["": 17]> g (float[batch,3] x) => (float[batch,3] y) { y = Relu(x) }'
    onnx.save(onnx.parser.parse_model(text), "net.onnx")
    (tmp_path / "rules.py").write_text(RULES)
    return "net.onnx"


@cases(
    (["opt"], "relu(%0) : f32[4,3]  # <net.onnx>:1"),
    (["npu", "--rows", "3"], "relu"),
    (["check-rule", "neg_neg"], "right  rule"),
    (["check-rule", "neg_neg"], "0 rewrites in net.onnx"),
    (["check-rule", "rules.py"], "1 rewrite in net.onnx"),
    (["explain", "--out", "out"], "Wrote "),
)
def test_commands_take_model_files(net, run_cli, command, expected):
    name, *options = command
    code, out, err = run_cli(name, *options, net, "--dim", "batch=4")
    assert code == 0 and expected in out, err


def test_a_sweep_of_a_model_file(net, run_cli):
    code, out, _ = run_cli("sweep", "--models", net, "--dim", "batch=4", "--executor", "serial", "--out", "s.csv")
    assert code == 0 and "1 row in s.csv" in out


def test_errors_of_model_files(net, run_cli):
    assert "give --dim batch=8" in run_cli("opt", net)[2]
    assert "no input has the symbolic dim 'bach'; did you mean 'batch'?" in run_cli("opt", net, "--dim", "bach=4")[2]
    assert "no.onnx' cannot be read" in run_cli("explain", "no.onnx")[2]


@cases(("batch",), ("batch=",), ("=4",), ("batch=0",), ("batch=-1",), ("batch=x",), ("batch=9999999999999",))
def test_malformed_dims(text):
    with pytest.raises(UsageError, match="write --dim batch=8"):
        parse_dims([text])
