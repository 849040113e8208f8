"""Every error class: documented, a Python error too, with the text in one form."""

import builtins
import inspect
import pickle

import pytest

from minigraph.core import errors
from minigraph.core.errors import MinigraphError, did_you_mean

CLASSES = [c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, MinigraphError)]
OWN = [c for c in CLASSES if c is not MinigraphError]


@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.__qualname__)
def test_every_error_is_also_the_python_error_a_program_would_catch(kind):
    python = [base for base in kind.__mro__ if base.__module__ == "builtins"]
    assert any(base not in (Exception, BaseException, object) for base in python)


@pytest.mark.parametrize("kind", [c for c in OWN if not c.ported], ids=lambda kind: kind.__name__)
def test_every_class_says_cause_example_and_fix(kind):
    assert "Example: ``" in kind.__doc__
    assert "Fix: " in kind.__doc__


@pytest.mark.parametrize("kind", [c for c in OWN if c.ported], ids=lambda kind: kind.__qualname__)
def test_ported_errors_print_the_name_of_pythons_class(kind):
    assert issubclass(kind, getattr(builtins, kind.__name__))


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__qualname__)
def test_errors_are_pickled(kind):
    again = pickle.loads(pickle.dumps(kind("text")))
    assert (type(again), str(again)) == (kind, "text")


def test_the_nearest_name_is_offered():
    assert did_you_mean("sofmax", ["softmax", "add"]) == "; did you mean 'softmax'?"


def test_without_a_near_name_the_known_ones_are_listed():
    assert did_you_mean("zzz", ["b", "a"]) == "; known: a, b"
    assert did_you_mean("zzz", []) == ""
    many = did_you_mean("zzz", [f"n{i:02}" for i in range(30)])
    assert many.endswith("n19, ...")


def test_anything_may_be_asked_for():
    assert did_you_mean(None, ["a"]) == "; known: a"
