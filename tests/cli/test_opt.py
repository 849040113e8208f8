import io
import re

import pytest

from minigraph.core.context import set_context
from minigraph.ir.text import parse
from tests.cli.conftest import TEXT
from tests.tables import cases

SEVEN = """from minigraph import Tensor, float32, ops
from minigraph.core.op import apply
from passes import rule


@rule(once=True)
def wrong_at_seven(x):
    return apply("exp", x), apply("exp", x) + apply("cast", apply("equal", x, 7.0), dtype=float32)


def f(x):
    return ops.exp(x)


def example_inputs():
    return Tensor([7.0, 1.0])
"""


def test_a_graph_in_and_a_graph_out_also_in_a_pipe(tail, opt, monkeypatch):
    code, out, err = opt(tail, "-p", "canonicalize,cse,dce")
    assert code == 0 and err == ""
    assert [str(parse(out).op(node)) for node in parse(out)] == ["input", "exp", "add"]
    monkeypatch.setattr("sys.stdin", io.StringIO(TEXT))
    assert opt("-", "-p", "none")[:2] == (0, TEXT)


def test_without_a_choice_the_pipeline_is_the_contexts(tail, opt):
    set_context(pipeline="canonicalize")
    assert "neg" not in opt(tail)[1]


def test_the_lowered_graph_is_printed_and_checked(opt, write_file):
    many = "\n".join(f"  %{k} = add(%{k - 1}, %0) : f32[2]" for k in range(1, 12))
    text = f'graph sums(%0)\n  %0 = input() {{name="x"}} : f32[2]\n{many}\n  return %11\n'
    code, out, _ = opt(write_file("sums.ir", text), "-p", "default,numpy", "--validate")
    assert code == 0 and "sum_rows" in out and "fused" not in out


@pytest.mark.parametrize(("suffix", "begins"), [
    ("svg", b"<svg"), ("dot", b"digraph"), ("pdf", b"%PDF"), ("png", b"\x89PNG"),
])  # fmt: skip
def test_the_result_is_drawn(tail, opt, tmp_path, suffix, begins):
    path = tmp_path / f"graph.{suffix}"
    assert opt(tail, "-p", "cse,dce", "--picture", str(path))[0] == 0
    assert begins in path.read_bytes()[:400]


def test_a_picture_of_an_unknown_format_is_an_error(tail, opt, tmp_path):
    code, _, err = opt(tail, "--picture", str(tmp_path / "graph.pgn"))
    assert code == 2 and "did you mean 'png'?" in err


def test_statistics_and_cycles_per_pass(tail, opt):
    _, _, err = opt(tail, "-p", "canonicalize,dce,cse", "--stats", "--chip", "ascend910b1")
    lines = err.splitlines()
    assert lines[0].split() == ["pass", "nodes", "bytes", "rewrites", "ms", "cycles"]
    assert [line.split()[0] for line in lines[1:5]] == ["canonicalize", "dce", "cse", "total"]
    assert lines[1].startswith("canonicalize  6 -> 4") and "->" in lines[4].rpartition(".")[2]
    assert lines[5] == "cycles: simulated on Ascend 910B1 (calibrated)"
    assert lines[6].startswith("canonicalize: neg_neg: ") and "1 match, 1 rewrite" in lines[6] and len(lines) == 7
    assert opt(tail, "--chip", "ascend")[0] == 2


def test_a_limit_lets_only_the_first_steps_happen(tail, opt):
    assert opt(tail, "-p", "canonicalize,cse", "--limit", "0")[1] == TEXT
    assert "neg" not in opt(tail, "-p", "canonicalize,cse", "--limit", "2")[1]


@cases(
    (["--print-changed"], "# ---- after canonicalize: 6 -> 4 nodes", "after dce"),
    (["--print-all"], "# ---- after dce: 4 -> 4 nodes", "before"),
    (["--print-failed"], "", "----"),
    (["--only-op", "neg"], "after canonicalize", "exp"),
    (["--only-line", "net.py:7"], "%5 = add", "%3 ="),
    (["--print-all", "--only-pass", "cse"], "after cse", "after dce"),
)
def test_graphs_are_printed_between_passes(tail, opt, arguments, shown, hidden):
    code, _, err = opt(tail, "-p", "canonicalize,dce,cse", *arguments)
    assert code == 0 and shown in err and hidden not in err


RULES = """from minigraph.core.op import apply
from passes import fuse, rule


@rule
def wrong_of_opt(x):
    return apply('exp', x), apply('tanh', x)


PAIR = fuse('Pair', lambda x, y: x * x + y)
"""


def test_validation_finds_a_wrong_rule_and_leaves_a_file(tail, rules, tmp_path, opt):
    set_context(save_graphs_path=str(tmp_path))
    code, out, err = opt(tail, "-p", "cse,wrong_of_opt", "--load", rules, "--validate")
    assert code == 2 and out == ""
    first, second, third = err.splitlines()
    assert first.startswith("minigraph: pass 'wrong_of_opt' (rules_of_opt.py:5) changed the results of 'tail': ")
    assert second.startswith("rule 'wrong_of_opt' (rules_of_opt.py:5) at %3 (net.py:5, net.py:6) in pass")
    assert third.endswith("tail.repro.ir --load rules_of_opt.py --bisect")
    assert (tmp_path / "tail.repro.ir").exists()


def test_why_a_rule_does_not_apply(tail, rules, opt):
    code, out, err = opt(tail, "-p", "none", "--why", "neg_neg@%3")
    assert code == 0 and parse(out).same_as(parse(TEXT))
    assert "does not apply at %3 = exp(%2) (net.py:5): the rule starts at neg" in err
    for why, message in (
        ("neg_neg", "rule 'neg_neg' "),
        ("Pair", "does not apply at %5 = add(%3, %4) (net.py:7): %3 = exp(%2) (net.py:5) does not match mul(x, x)"),
        ("neg_neg@seven", "'seven' is not a node; write --why neg_neg@%7"),
        ("neg_nge", "did you mean 'neg_neg'"),
    ):
        assert message in opt(tail, "-p", "none", "--load", rules, "--why", why)[2]


def test_why_looks_into_the_bodies_of_fused_nodes(program, opt):
    _, _, err = opt(f"{program}:attend", "-p", "default", "--why", "MatMulBiasRelu")
    node, applies_at = re.fullmatch(
        r"in the body of (%\d+) = MatMulBiasRelu: rule 'MatMulBiasRelu' \S+ applies at (%\S+) = .*\n", err
    ).groups()
    assert applies_at.startswith(f"{node}/")  # as in the text of the graph


def test_mistakes_are_short_errors(tail, opt):
    code, out, err = opt(tail, "-p", "cse,dec")
    assert (code, out) == (2, "") and err.endswith("  cse,dec\n      ^\n")
    assert opt("missing.ir")[0] == 2


def test_a_failure_on_given_inputs_is_replayed_on_them(tmp_path, write_file, opt):
    """The rule is wrong for one number only, which random inputs would not hit."""
    file = write_file("seven_of_opt.py", SEVEN)
    set_context(save_graphs_path=str(tmp_path))
    code, _, err = opt(f"{file}:f", "-p", "wrong_at_seven", "--load", file, "--validate")
    assert code == 2 and "saved; to reproduce" in err
    code, _, err = opt(tmp_path / "f.repro.ir", "--load", file, "--bisect")
    assert code == 0 and err.startswith("rule 'wrong_at_seven'")


def test_cycles_are_of_the_chip_of_the_context_or_of_the_option(tail, opt):
    errors = [opt(tail, "-p", "cse", "--stats", *chip)[2] for chip in ((), ("--chip", "ascend310"))]
    assert len({text.splitlines()[-2].split()[-1] for text in errors}) == 2
    assert errors[1].endswith("simulated on Ascend 310 (nominal)\n")


def test_the_rules_of_the_programs_own_file_may_be_named(write_file, opt):
    source = SEVEN.replace("wrong_at_seven", "rule_of_own")
    for pipeline in ("rule_of_own", "rewrite{rules=rule_of_own}"):
        code, out, _ = opt(f"{write_file('with_rule.py', source)}:f", "-p", pipeline)
        assert code == 0 and "= equal(" in out
