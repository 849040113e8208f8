import sys

import pytest

from minigraph.cli.main import main
from minigraph.ir.text import parse
from passes import every_rule
from passes.lab.reproducer import Reproducer, save

RULES = '''
from minigraph.op import apply
from passes import rule


@rule
def right_of_file(x):
    return apply("relu", apply("relu", x)), apply("relu", x)


@rule
def wrong_of_file(x):
    return apply("exp", x), apply("tanh", x)
'''
TEXT = """graph tail(%0)
  %0 = input() {name="x"} : f32[2,2]
  %1 = relu(%0) : f32[2,2]  # net.py:3
  %2 = relu(%1) : f32[2,2]  # net.py:4
  %3 = exp(%2) : f32[2,2]  # net.py:5
  return %3
"""
STEPS = "canonicalize,right_of_file,wrong_of_file,dce"


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules_of_lab.py"
    path.write_text(RULES)
    return str(path)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "tail.ir"
    path.write_text(TEXT)
    return str(path)


def ran(*arguments, capsys):
    """The exit code, standard output and standard error."""
    code = main(list(arguments))
    return code, *capsys.readouterr()


def test_rules_of_a_file_are_checked(rules, capsys):
    code, out, err = ran("check", rules, capsys=capsys)
    assert code == 1 and err == ""
    assert "right  rule 'right_of_file' (rules_of_lab.py:6): the same bits and gradients in" in out
    assert "WRONG  rule 'wrong_of_file' (rules_of_lab.py:11): the pattern gives 1.0, the replacement 0.0, where" in out
    assert "\ndef pattern(x):\n" in out


def test_one_rule_of_a_file_or_of_the_table(rules, capsys):
    assert ran("check", f"{rules}:right_of_file", capsys=capsys)[0] == 0
    code, out, _ = ran("check", "neg_neg", "MatMulBias", "--seed", "4", capsys=capsys)
    assert code == 0 and out.count("right  rule") == 2


def test_all_rules_of_the_table_are_right(capsys):
    code, out, _ = ran("check", capsys=capsys)
    assert code == 0 and out.count("right  rule") == len(list(every_rule()))


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("{}:rightoffile", "no rule 'rightoffile' in {}; did you mean 'right_of_file'?"),
        ("neg_nge", "no rules 'neg_nge'; did you mean 'neg_neg'?"),
        ("missing.py", "no file 'missing.py'"),
    ],
)
def test_wrong_names_are_told(rules, capsys, what, told):
    code, _, err = ran("check", what.format(rules), capsys=capsys)
    assert code == 2 and told.format(rules) in err


def test_a_file_without_rules_is_told(program, capsys):
    code, _, err = ran("check", str(program), capsys=capsys)
    assert code == 2 and "has no rules; make one with @rule" in err


def test_bisect_names_the_rewrite_and_shows_it(file, rules, capsys):
    code, out, _ = ran("bisect", file, "-p", STEPS, "--load", rules, capsys=capsys)
    assert code == 0
    first, *change = out.splitlines()
    place = "rule 'wrong_of_file' (rules_of_lab.py:11) at %3 (net.py:5) in pass 'wrong_of_file', step"
    assert first.startswith(place) and " runs" in first
    assert any(line.startswith("-  %3 = exp") for line in change)
    assert any(line.startswith("+") and "tanh" in line for line in change)


def test_a_reproducer_is_replayed_by_one_command(rules, tmp_path, capsys):
    path = save(Reproducer(parse(TEXT), STEPS), tmp_path)
    code, out, _ = ran("bisect", str(path), "--load", rules, capsys=capsys)
    assert code == 0 and out.startswith("rule 'wrong_of_file'")


@pytest.mark.parametrize(
    ("test", "step"),
    [("'exp' in text", "rule 'wrong_of_file'"), ("text.count('relu') > 1", "rule 'right_of_file'")],
)
def test_a_command_says_what_is_right(file, rules, capsys, test, step):
    command = f'{sys.executable} -c "import sys; text = sys.stdin.read(); sys.exit(not ({test}))"'
    code, out, _ = ran("bisect", file, "-p", STEPS, "--load", rules, "--ok", command, capsys=capsys)
    assert code == 0 and out.startswith(step)


def test_nothing_wrong_and_commands_that_are_not_there_are_told(file, capsys):
    code, _, err = ran("bisect", file, "-p", "cse,dce", capsys=capsys)
    assert code == 2 and "'tail' is right after 'cse,dce'; nothing was seen to be wrong" in err
    with pytest.raises(SystemExit, match="cannot run 'no-such-command': No such file"):
        main(["bisect", file, "--ok", "no-such-command"])


def test_a_pass_that_breaks_the_graph_is_shown_too(file, tmp_path, capsys):
    breaking = tmp_path / "breaking_of_lab.py"
    breaking.write_text('from passes import graph_pass\n\n\n@graph_pass\ndef breaks_of_lab(graph):\n'
                        '    """Cuts off."""\n    graph.set_operands(1, (3,))\n')  # fmt: skip
    code, out, _ = ran("bisect", file, "-p", "cse,breaks_of_lab", "--load", str(breaking), capsys=capsys)
    assert code == 0 and out.startswith("pass 'breaks_of_lab'") and "+# pass 'breaks_of_lab' broke the graph" in out
