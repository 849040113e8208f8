"""Every error class: documented, also a Python error, with messages of one form."""

import builtins
import inspect
import pickle

import pytest

from minigraph.core import errors
from minigraph.core.errors import MinigraphError, did_you_mean
from tests.tables import results

CLASSES = [c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, MinigraphError)]
OWN = [c for c in CLASSES if c is not MinigraphError]


@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.__qualname__)
def test_every_class_documents_cause_example_and_fix_or_prints_as_a_python_error(kind):
    python = [base for base in kind.__mro__ if base.__module__ == "builtins"]
    assert any(base not in (Exception, BaseException, object) for base in python)
    if kind.has_mindspore_text:
        assert issubclass(kind, getattr(builtins, kind.__name__))
    else:
        assert "Example: ``" in kind.__doc__ and "Fix: " in kind.__doc__


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__qualname__)
def test_errors_are_pickled(kind):
    again = pickle.loads(pickle.dumps(kind("text")))
    assert (type(again), str(again)) == (kind, "text")


test_the_nearest_name_is_offered_or_the_known_ones_are_listed = results(
    did_you_mean,
    ("sofmax", ["softmax", "add"], "; did you mean 'softmax'?"),
    ("zzz", ["b", "a"], "; known: a, b"),
    ("zzz", [], ""),
    ("zzz", [f"n{i:02}" for i in range(30)], f"; known: {', '.join(f'n{i:02}' for i in range(20))}, ..."),
    (None, ["a"], "; known: a"),
)
