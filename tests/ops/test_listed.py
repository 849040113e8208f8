"""Every name in ``__all__`` of the modules of ``ops`` and ``ms.numpy`` is public there and documented."""

import importlib
import pkgutil

from minigraph import numpy, ops
from minigraph.ops import functional, operations
from tests.tables import in_one_test

PUBLIC = {functional: ops, operations: ops, numpy: numpy}
MODULES = [
    (package, importlib.import_module(f"{package.__name__}.{info.name}"))
    for package in PUBLIC
    for info in pkgutil.iter_modules(package.__path__)
]
LISTED = [(package, module, name) for package, module in MODULES for name in getattr(module, "__all__", ())]


@in_one_test(LISTED)
def test_a_listed_name_is_public_and_documented(package, module, name):
    value = getattr(module, name)
    assert getattr(PUBLIC[package], name) is value
    assert not callable(value) or value.__doc__
    assert getattr(value, "name", name) == name or package is not operations
