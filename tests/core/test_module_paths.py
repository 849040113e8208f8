"""Modules that are imported by several paths."""

import importlib
import pickle
import sys

from minigraph import communication
from minigraph.core.module_paths import add_module_path


def test_a_path_is_the_module_itself(monkeypatch):
    monkeypatch.delitem(sys.modules, "minigraph.communication.management")
    monkeypatch.delattr(communication, "management")
    add_module_path("minigraph.communication", "management")
    assert importlib.import_module("minigraph.communication.management") is communication
    assert communication.management is communication


def test_its_functions_can_be_pickled_by_either_path():
    init = importlib.import_module("minigraph.communication.management").init
    assert pickle.loads(pickle.dumps(init)) is communication.init
