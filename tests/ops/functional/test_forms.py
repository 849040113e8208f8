"""The tables of forms: every row names a function, and is found in all of its forms."""

import copy
import inspect
import pickle
import re

from minigraph import Tensor, mint, ops
from minigraph import numpy as mnp
from minigraph.numpy import elementwise
from minigraph.ops import functional, operations
from minigraph.ops.functional.forms import exports_of, functions_with, primitives_of


def test_every_row_is_offered_in_its_forms():
    for form, owner in (("method", Tensor), ("mint", mint)):
        names = functions_with(form, functional)
        assert len(names) == len(set(names)) > 100
        assert [name for name in names if not hasattr(owner, name)] == []
    for primitive, function in primitives_of(functional).items():
        assert getattr(ops, primitive).function is getattr(functional, function)


def test_a_numpy_form_can_be_read_pickled_and_completed():
    names = [name for form in elementwise.CONVERSIONS for name in functions_with(form, functional)]
    assert len(names) == len(set(names)) > 50 and set(names) <= set(dir(mnp))
    for name in names:
        form = getattr(mnp, name)
        assert pickle.loads(pickle.dumps(form)) is form is copy.deepcopy(form)
        assert form.__name__ == name and form.__doc__.endswith("; cast to ``dtype`` when one is given.")
        assert list(inspect.signature(form).parameters) in (["x", "dtype"], ["x1", "x2", "dtype"])
        assert not re.search(r"\b(input|other|y)\b", form.__doc__), form.__doc__


def test_packages_export_the_names_of_their_chapters_once():
    for package in (functional, operations):
        names = exports_of(package.__name__)
        assert package.__all__ == names and len(names) == len(set(names))
        assert [name for name in names if not hasattr(ops, name)] == []
