from passes import every_rule
from tests.tables import cases

RULES = """
from minigraph.core.op import apply
from passes import rule


@rule
def right_of_file(x):
    return apply("relu", apply("relu", x)), apply("relu", x)


@rule
def wrong_of_file(x):
    return apply("exp", x), apply("tanh", x)
"""


def test_rules_of_a_file_are_checked(rules, run_cli):
    code, out, err = run_cli("check-rule", rules)
    assert code == 1 and err == ""
    assert "right  rule 'right_of_file' (rules_of_check_rule.py:6): bit-identical results, equal gradients in" in out
    assert "WRONG  rule 'wrong_of_file' (rules_of_check_rule.py:11): the pattern gives 1.0, the replacement 0.0" in out
    assert "\ndef pattern(x):\n" in out


def test_one_rule_of_a_file_or_of_the_table(rules, run_cli):
    assert run_cli("check-rule", f"{rules}:right_of_file")[0] == 0
    code, out, _ = run_cli("check-rule", "neg_neg", "MatMulBias", "--seed", "4")
    assert code == 0 and out.count("right  rule") == 2


def test_all_registered_rules_are_correct(run_cli):
    code, out, _ = run_cli("check-rule")
    assert code == 0 and out.count("right  rule") == len(list(every_rule()))


@cases(
    ("{0}:rightoffile", "no rule 'rightoffile' in {0}; did you mean 'right_of_file'?"),
    ("neg_nge", "no rules 'neg_nge'; did you mean 'neg_neg'?"),
    ("missing.py", "no file 'missing.py'"),
    ("{1}", "has no rules; define one with @rule"),
)
def test_unknown_names_are_errors(rules, program, run_cli, what, message):
    code, _, err = run_cli("check-rule", what.format(rules, program))
    assert code == 2 and message.format(rules) in err
