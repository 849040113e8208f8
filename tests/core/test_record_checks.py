import numpy as np

from minigraph.core.errors import UsageError
from minigraph.core.op import TABLE, Op
from minigraph.core.record_checks import check_fields
from tests.tables import error_cases, in_one_test


@in_one_test(list(TABLE.values()))
def test_every_record_of_ours_passes(op):
    check_fields(op)


def record(**fields):
    return Op("shift", np.negative, **{"infer": lambda x: x, "vjp": (None,), **fields})


test_a_wrong_field_is_one_error = error_cases(
    (record(unit="vectr"), "operator 'shift': no unit 'vectr'; did you mean 'vector'?"),
    (record(family="elementwize"), "no family 'elementwize'; did you mean 'elementwise'?"),
    (record(effects=("reads:x",)), "no kind of effect 'reads'; did you mean 'read'?"),
    (record(effects="write:x"), r"effects are text, not a tuple; give effects=\('write:x',\)"),
    (record(role="computes"), "no role 'computes'; did you mean 'compute'?"),
    (record(samples=[1]), "samples are a list, not a function"),
    (record(vjp=lambda g, out, x: g), "vjp is a function, not a tuple; give one function per operand"),
    (record(vjp=(3,)), r"vjp\[0\] is a int, not a function"),
    (record(vjp=(None, None)), "vjp has 2 entries for 1 operands"),
    by=check_fields,
    error=UsageError,
)
