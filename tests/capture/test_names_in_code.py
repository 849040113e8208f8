from minigraph.capture.names_in_code import names_in
from tests.tables import cases


def names(text):
    scope = {}
    exec(text, scope)
    return names_in(scope["f"].__code__)


@cases(
    ("def f(o): o.a = o.b = 1", {"a", "b"}, set(), set(), False),
    ("def f(o):\n global g\n g = 1", set(), {"g"}, set(), False),
    ("def f(o): return getattr(o, 'a', 1)", set(), set(), {"a"}, False),
    ("def f(o): return hasattr(o, 'a')", set(), set(), {"a"}, False),
    ("def f(o, n): return getattr(o, n)", set(), set(), set(), True),
    ("def f(o): return vars(o)", set(), set(), set(), True),
)
def test_names_that_code_assigns_queries_and_computes(text, attributes, variables, queried, computes):
    code_names = names(text)
    assert (code_names.set_attributes, code_names.set_globals, code_names.queried) == (attributes, variables, queried)
    assert code_names.computes_names is computes
