import io

import pytest

from minigraph import Tensor, ops, trace
from minigraph.cli.programs import load, load_program, register_rules, rules_in
from minigraph.cli.target import load_module
from minigraph.core.errors import ParseError, UsageError
from minigraph.ir.text import to_text
from passes import as_pipeline, rules_named
from passes.validate.reproducer import Reproducer, save_reproducer

RULES = '''
from minigraph.core.op import apply
from passes import fuse, graph_pass, rule


@rule
def lonely(x):
    return apply("relu", apply("relu", x)), apply("relu", x)


TAILS = (fuse("Tail", lambda x: apply("exp", apply("neg", x))),)


@graph_pass
def idle_of_file(graph):
    """Nothing."""
'''


def test_a_function_of_a_file_is_captured_with_its_inputs(program):
    loaded = load_program(f"{program}:attend")
    assert len(loaded.graph.inputs) == 2 and [a.shape for a in loaded.inputs] == [(1, 2), (2, 2)]
    assert loaded.pipeline is None and loaded.pipeline_or(None) == "default" and loaded.pipeline_or("dce") == "dce"


def test_graph_text_comes_from_a_file_or_from_standard_input(program, write_file, monkeypatch):
    graph = load_program(f"{program}:attend").graph
    for text in (to_text(graph), "\ufeff" + to_text(graph)):  # with a byte order mark, as editors on Windows write it
        assert load_program(str(write_file("attend.ir", text))).graph.same_as(graph)
    monkeypatch.setattr("sys.stdin", io.StringIO(to_text(graph)))
    assert load_program("-").graph.same_as(graph)


def test_a_reproducer_brings_its_pipeline_and_seed(program, tmp_path):
    graph = load_program(f"{program}:attend").graph
    loaded = load_program(str(save_reproducer(Reproducer(graph, "cse,dce", 5), tmp_path)))
    assert loaded[1:] == (None, "cse,dce", 5) and loaded.graph.same_as(graph)
    assert loaded.pipeline_or("dce") == "dce" and loaded.pipeline_or(None) == "cse,dce"


UNREADABLE = [
    ("net.ir", UsageError, r"cannot read '.*net.ir': No such file or directory; did you mean 'net.py'\?$"),
    (".", UsageError, r"cannot read '.*': Is a directory$"),
    ("net.py", ParseError, "graph text, line"),
    ("binary", UsageError, "not a text file"),
    ("net.py:attention", UsageError, "no function 'attention'"),
]


@pytest.mark.parametrize(("name", "error", "message"), UNREADABLE)
def test_unreadable_programs_are_errors(program, tmp_path, name, error, message):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(error, match=message):
        load_program(str(tmp_path / name))


@pytest.mark.parametrize(("old", "new"), [
    ("axis=1}", "axis=1.5}"), ("axis=1}", "axis=9}"), ("matmul(%0, %1)", "matmul(%0)"), ("f32[2,2]", "f32[2,3]"),
])  # fmt: skip
@pytest.mark.parametrize("command", ["opt", "npu", "sweep"])
def test_an_invalid_graph_is_one_line_for_every_command(command, old, new, write_file, run_cli, tmp_path):
    text = to_text(trace(lambda x, w: ops.softmax(x @ w, 1), ops.ones((2, 3)), ops.ones((3, 2))))
    assert old in text
    file = write_file("invalid.ir", text.replace(old, new))
    options = ("--models", file, "--executor", "serial", "--out", tmp_path / "x.csv") if command == "sweep" else (file,)
    code, out, err = run_cli(command, *options)
    assert (code, out) == (2, "") and len(err.splitlines()) <= 3 and "Traceback" not in err


def test_rules_and_passes_of_a_users_file_may_be_in_a_pipeline(rules):
    loaded = {}
    load([str(rules)], loaded)
    assert set(register_rules(loaded)) == {rule.name for rule in rules_in(load_module(rules))} == {"lonely", "Tail"}
    assert str(as_pipeline("lonely,Tail,idle_of_file")) == "lonely,Tail,idle_of_file"
    assert [rule.name for rule in rules_named(["lonely", "Tail"])] == ["lonely", "Tail"]
    assert register_rules({}) == {}


TWO_OF_A_NAME = """
from minigraph.core.op import apply
from passes import fuse

RULES = (
    fuse("Twice", lambda x: apply("exp", apply("exp", x))),
    fuse("Twice", lambda x: apply("tanh", apply("tanh", x))),
)
"""


def test_rules_of_one_name_are_all_used(write_file, run_cli):
    file = write_file("two_of_a_name.py", TWO_OF_A_NAME)
    assert run_cli("check-rule", file)[1].count("right  rule 'Twice'") == 2
    assert run_cli("check-rule", f"{file}:Twice")[1].count("right  rule 'Twice'") == 2
    graph = trace(lambda x: (ops.exp(ops.exp(x)), ops.tanh(ops.tanh(x))), Tensor([1.0]))
    code, out, _ = run_cli("opt", write_file("both.txt", to_text(graph)), "--load", file, "-p", "Twice")
    assert code == 0 and out.count('{name="Twice"}') == 2
