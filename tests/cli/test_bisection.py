import sys

import pytest

from minigraph.ir.text import parse
from passes.validate.reproducer import Reproducer, save_reproducer
from tests.cli.conftest import TEXT
from tests.tables import cases

PIPELINE = "canonicalize,right_of_opt,wrong_of_bisect,dce"
RULES = """
from minigraph.core.op import apply
from passes import rule


@rule
def right_of_opt(x):
    return apply("exp", apply("neg", x)), apply("reciprocal", apply("exp", x))


@rule
def wrong_of_bisect(x):
    return apply("exp", x), apply("tanh", x)
"""


def test_bisect_names_the_rewrite_and_prints_its_diff_and_the_graph_after_it(tail, rules, opt):
    code, out, err = opt(tail, "-p", PIPELINE, "--load", rules, "--bisect")
    assert code == 0
    first_line, *diff_lines = err.splitlines()
    culprit = "rule 'wrong_of_bisect' (rules_of_bisection.py:11) at %3 (net.py:5) in pass 'wrong_of_bisect', step"
    assert first_line.startswith(culprit) and " runs" in first_line
    assert any(line.startswith("-  %3 = exp") for line in diff_lines)
    assert any(line.startswith("+") and "tanh" in line for line in diff_lines)
    assert [str(parse(out).op(node)) for node in parse(out)].count("tanh") == 1


def test_a_reproducer_is_replayed_by_one_command(rules, tmp_path, opt):
    path = save_reproducer(Reproducer(parse(TEXT), PIPELINE), tmp_path)
    code, _, err = opt(str(path), "--load", rules, "--bisect")
    assert code == 0 and err.startswith("rule 'wrong_of_bisect'")


@cases(("'exp' in text", "rule 'wrong_of_bisect'"), ("text.count('neg') > 1", "rule 'neg_neg'"))
def test_a_command_decides_what_is_right(tail, rules, opt, test, step):
    command = f'{sys.executable} -c "import sys; text = sys.stdin.read(); sys.exit(not ({test}))"'
    code, _, err = opt(tail, "-p", PIPELINE, "--load", rules, "--bisect", command)
    assert code == 0 and err.startswith(step)


def test_a_right_program_and_a_missing_command_are_errors(tail, opt):
    code, _, err = opt(tail, "-p", "cse,dce", "--bisect")
    assert code == 2 and "'cse,dce' does not change what 'tail' computes" in err
    code, out, err = opt(tail, "--bisect", "no-such-command")
    assert (code, out) == (2, "") and "opt: --bisect 'no-such-command' cannot be run: " in err and err.count("\n") == 1


OTHER_OPTIONS = (["--stats"], ["--validate"], ["--print-changed"], ["--limit", "0"], ["--why", "x"])


@pytest.mark.parametrize("options", OTHER_OPTIONS)
def test_bisect_takes_no_other_options(tail, opt, options):
    code, out, err = opt(tail, *options, "--bisect")
    assert (code, out) == (2, "") and "--bisect takes no other options" in err


def test_a_pass_that_breaks_the_graph_is_shown_too(tail, write_file, opt):
    source = '@graph_pass\ndef breaks_of_opt(graph):\n    """Cuts off."""\n    graph.set_operands(1, (3,))\n'
    path = write_file("breaking_of_opt.py", f"from passes import graph_pass\n\n\n{source}")
    code, out, err = opt(tail, "-p", "cse,breaks_of_opt", "--load", path, "--bisect")
    assert code == 0 and err.startswith("pass 'breaks_of_opt'") and "+# pass 'breaks_of_opt' broke the graph" in err
    assert "# pass 'breaks_of_opt' broke the graph" in out
