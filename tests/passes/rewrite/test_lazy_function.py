"""Functions are compiled once, at the first call."""

from passes.optimize.canonicalize import RULES
from passes.rewrite.lazy_function import LazyFunction, compiled_function


def test_it_is_compiled_at_the_first_call_and_never_again():
    space = {"offset": 5}
    later = LazyFunction("def search(x, *, y=0):\n    return x + y + offset", space)
    assert "search" not in space
    assert later(1) == 6 and later(1, y=2) == 8
    assert compiled_function(later) is later.function and "search" not in space


def test_a_plain_function_is_ready():
    assert compiled_function(len) is len


def test_matchers_are_generated_when_rules_are_defined():
    searches = [variant.search for rule in RULES for variant in rule.variants if variant.roots]
    assert searches and all(isinstance(search, LazyFunction) and "def search(" in search.source for search in searches)
