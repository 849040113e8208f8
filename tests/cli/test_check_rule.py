import pytest

from minigraph.cli.main import main
from passes import every_rule

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

@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules_of_check.py"
    path.write_text(RULES)
    return str(path)


def ran(*arguments, capsys):
    """The exit code, standard output and standard error."""
    code = main(list(arguments))
    return code, *capsys.readouterr()


def test_rules_of_a_file_are_checked(rules, capsys):
    code, out, err = ran("check-rule", rules, capsys=capsys)
    assert code == 1 and err == ""
    assert "right  rule 'right_of_file' (rules_of_check.py:6): the same bits and gradients in" in out
    assert "WRONG  rule 'wrong_of_file' (rules_of_check.py:11): the pattern gives 1.0, the replacement 0.0" in out
    assert "\ndef pattern(x):\n" in out


def test_one_rule_of_a_file_or_of_the_table(rules, capsys):
    assert ran("check-rule", f"{rules}:right_of_file", capsys=capsys)[0] == 0
    code, out, _ = ran("check-rule", "neg_neg", "MatMulBias", "--seed", "4", capsys=capsys)
    assert code == 0 and out.count("right  rule") == 2


def test_all_rules_of_the_table_are_right(capsys):
    code, out, _ = ran("check-rule", capsys=capsys)
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
    code, _, err = ran("check-rule", what.format(rules), capsys=capsys)
    assert code == 2 and told.format(rules) in err


def test_a_file_without_rules_is_told(program, capsys):
    code, _, err = ran("check-rule", str(program), capsys=capsys)
    assert code == 2 and "has no rules; make one with @rule" in err
