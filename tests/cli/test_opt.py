import io

import pytest

from minigraph.cli.main import main
from minigraph.context import set_context
from minigraph.ir.text import parse

TEXT = """graph tail(%0)
  %0 = input() {name="x"} : f32[2,2]
  %1 = neg(%0) : f32[2,2]  # net.py:3
  %2 = neg(%1) : f32[2,2]  # net.py:4
  %3 = exp(%2) : f32[2,2]  # net.py:5
  %4 = exp(%2) : f32[2,2]  # net.py:6
  %5 = add(%3, %4) : f32[2,2]  # net.py:7
  return %5
"""


SEVEN = """from minigraph import Tensor, float32, ops
from minigraph.op import apply
from passes import rule


@rule(once=True)
def wrong_at_seven(x):
    return apply("exp", x), apply("exp", x) + apply("cast", apply("equal", x, 7.0), dtype=float32)


def f(x):
    return ops.exp(x)


def example_inputs():
    return Tensor([7.0, 1.0])
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "tail.ir"
    path.write_text(TEXT)
    return str(path)


def ran(*arguments, capsys):
    """The exit code, the graph printed, and standard error."""
    code = main(["opt", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_graph_in_and_a_graph_out(file, capsys):
    code, out, err = ran(file, "-p", "canonicalize,cse,dce", capsys=capsys)
    assert code == 0 and err == ""
    assert [str(parse(out).op(node)) for node in parse(out)] == ["input", "exp", "add"]


def test_it_stands_in_a_pipe(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(TEXT))
    code, out, _ = ran("-", "-p", "none", capsys=capsys)
    assert code == 0 and out == TEXT


def test_without_a_choice_the_pipeline_is_the_contexts(file, capsys):
    set_context(pipeline="canonicalize")
    assert "neg" not in ran(file, capsys=capsys)[1]


def test_figures_and_cycles_per_pass(file, capsys):
    _, _, err = ran(file, "-p", "canonicalize,dce,cse", "--stats", "--chip", "ascend910b1", capsys=capsys)
    lines = err.splitlines()
    assert lines[0].split() == ["pass", "nodes", "bytes", "rewrites", "ms", "cycles"]
    assert [line.split()[0] for line in lines[1:5]] == ["canonicalize", "dce", "cse", "total"]
    assert lines[1].startswith("canonicalize  6 → 4") and "→" in lines[4].rpartition(".")[2]
    assert lines[5] == "cycles: simulated on Ascend 910B1 (calibrated)"
    assert lines[6].startswith("canonicalize: neg_neg: ") and "1 matches, 1 rewrites" in lines[6] and len(lines) == 7
    assert ran(file, "--chip", "ascend", capsys=capsys)[0] == 2


def test_a_limit_lets_only_the_first_steps_happen(file, capsys):
    assert ran(file, "-p", "canonicalize,cse", "--limit", "0", capsys=capsys)[1] == TEXT
    assert "neg" not in ran(file, "-p", "canonicalize,cse", "--limit", "2", capsys=capsys)[1]


@pytest.mark.parametrize(
    ("arguments", "shown", "hidden"),
    [
        (["--print-changed"], "# ---- after canonicalize: 6 -> 4 nodes", "after dce"),
        (["--print-all"], "# ---- after dce: 4 -> 4 nodes", "before"),
        (["--print-failed"], "", "----"),
        (["--only-op", "neg"], "after canonicalize", "exp"),
        (["--only-line", "net.py:7"], "%5 = add", "%3 ="),
        (["--print-all", "--only-pass", "cse"], "after cse", "after dce"),
    ],
)
def test_graphs_on_the_way(file, capsys, arguments, shown, hidden):
    code, _, err = ran(file, "-p", "canonicalize,dce,cse", *arguments, capsys=capsys)
    assert code == 0 and shown in err and hidden not in err


def test_validation_finds_a_wrong_rule_and_leaves_a_file(file, tmp_path, capsys):
    rules = tmp_path / "rules_of_opt.py"
    rules.write_text("from minigraph.op import apply\nfrom passes import rule\n\n\n@rule\ndef wrong_of_opt(x):\n"
                     "    return apply('exp', x), apply('tanh', x)\n")  # fmt: skip
    set_context(save_graphs_path=str(tmp_path))
    code, out, err = ran(file, "-p", "cse,wrong_of_opt", "--load", str(rules), "--validate", capsys=capsys)
    assert code == 2 and out == ""
    first, second, third = err.splitlines()
    assert first.startswith("minigraph: pass 'wrong_of_opt' (rules_of_opt.py:5) changed what 'tail' computes: ")
    assert second.startswith("rule 'wrong_of_opt' (rules_of_opt.py:5) at %3 (net.py:5, net.py:6) in pass")
    assert third.endswith("tail.repro.ir --load rules_of_opt.py --bisect")
    assert (tmp_path / "tail.repro.ir").exists()


def test_why_a_rule_does_not_apply(file, tmp_path, capsys):
    code, out, err = ran(file, "-p", "none", "--why", "neg_neg@%3", capsys=capsys)
    assert code == 0 and parse(out).same_as(parse(TEXT))
    assert "does not apply at %3 = exp(%2) (net.py:5): the rule starts at neg" in err
    assert "rule 'neg_neg' " in ran(file, "-p", "none", "--why", "neg_neg", capsys=capsys)[2]
    rules = tmp_path / "why_of_opt.py"
    rules.write_text("from passes import fuse\n\nPAIR = fuse('Pair', lambda x, y: x * x + y)\n")
    err = ran(file, "-p", "none", "--load", str(rules), "--why", "Pair", capsys=capsys)[2]
    assert "does not apply at %5 = add(%3, %4) (net.py:7): %3 = exp(%2) (net.py:5) is no mul(x, x)" in err
    assert "'seven' is no node; write --why neg_neg@%7" in ran(file, "--why", "neg_neg@seven", capsys=capsys)[2]
    assert "did you mean 'neg_neg'" in ran(file, "--why", "neg_nge", capsys=capsys)[2]


def test_mistakes_are_told_shortly(file, capsys):
    code, out, err = ran(file, "-p", "cse,dec", capsys=capsys)
    assert (code, out) == (2, "") and err.endswith("  cse,dec\n      ^\n")
    assert ran("missing.ir", capsys=capsys)[0] == 2


def test_a_failure_on_ones_own_inputs_is_replayed_on_them(tmp_path, capsys):
    """The rule is wrong for one number only, which random inputs would not hit."""
    file = tmp_path / "seven_of_opt.py"
    file.write_text(SEVEN)
    set_context(save_graphs_path=str(tmp_path))
    code, _, err = ran(f"{file}:f", "-p", "wrong_at_seven", "--load", str(file), "--validate", capsys=capsys)
    assert code == 2 and "saved; to see it again" in err
    code, _, err = ran(str(tmp_path / "f.repro.ir"), "--load", str(file), "--bisect", capsys=capsys)
    assert code == 0 and err.startswith("rule 'wrong_at_seven'")


def test_the_chip_that_counts_cycles_is_the_contexts_or_ones_own(file, capsys):
    told = [ran(file, "-p", "cse", "--stats", *chip, capsys=capsys)[2] for chip in ((), ("--chip", "ascend310"))]
    assert len({text.splitlines()[-2].split()[-1] for text in told}) == 2
    assert told[1].endswith("simulated on Ascend 310 (nominal)\n")


def test_the_rules_of_the_programs_own_file_may_be_named(tmp_path, capsys):
    file = tmp_path / "with_rule.py"
    file.write_text(
        "from minigraph import Tensor\nfrom passes import rule\n"
        "@rule\ndef twice_of_own(x):\n    return x + x, x * 2.0\n"
        "def f(x):\n    return x + x\ndef example_inputs():\n    return Tensor([1.0])\n"
    )
    for pipeline in ("twice_of_own", "rewrite{rules=twice_of_own}"):
        assert main(["opt", f"{file}:f", "-p", pipeline]) == 0
        assert "= mul(" in capsys.readouterr().out
