"""Arguments of layers, losses, optimizers, training and datasets: MindSpore's names, order and defaults.

``mindspore_signatures.txt`` was written by ``signature_text`` below from MindSpore 2.10.
"""

import importlib
import inspect
from enum import Enum
from pathlib import Path

import pytest

import minigraph as ms
from minigraph import nn, train
from minigraph.core.missing_names import mindspore_exports
from tests.tables import in_one_test

PACKAGES = ("nn", "train", "dataset", "dataset.audio", "dataset.text", "dataset.transforms", "dataset.vision")
METHODS = {"nn.Cell": nn.Cell, "train.Model": train.Model, "dataset.Dataset": ms.dataset.Dataset}
RECORD = Path(__file__).with_name("mindspore_signatures.txt")
EXPECTED = dict(line.split("(", 1) for line in RECORD.read_text().splitlines() if not line.startswith("#"))

# Signatures that differ from MindSpore's, and how.
BY_NAME = "MindSpore hides keywords behind *args and **kwargs; ours have names, and unknown ones are refused"
HIDDEN_BY_CLASSES = (
    "nn.ASGD nn.AdaFactor nn.Rprop nn.Adam nn.CellDict nn.CellList nn.GRU nn.LSTM nn.RNN nn.SequentialCell "
    "train.CheckpointConfig"
)
HIDDEN_BY_FUNCTIONS = "train.build_train_network train.save_checkpoint dataset.Dataset.batch dataset.Dataset.map"
DIFFERENT = dict.fromkeys([*HIDDEN_BY_CLASSES.split(), *HIDDEN_BY_FUNCTIONS.split()], BY_NAME) | {
    "nn.Cell.construct": "the star has another name",
    "dataset.Dataset": "programs make its subclasses",
    "dataset.RandomSampler": "files are not shuffled",
}


def default_text(default):
    """A default as text that is equal in both frameworks."""
    if isinstance(default, Enum):
        return default.name
    if inspect.isclass(default) or inspect.isfunction(default):
        return default.__name__
    return repr(default)


def signature_text(function_or_class):
    """The arguments of a function, or of a class's ``__init__``, as Python reads them."""
    function = function_or_class.__init__ if inspect.isclass(function_or_class) else function_or_class
    texts, star = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            texts.append("*")
        star = star or parameter.kind in (parameter.VAR_POSITIONAL, parameter.KEYWORD_ONLY)
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        texts.append(
            stars
            + parameter.name
            + ("" if parameter.default is parameter.empty else f"={default_text(parameter.default)}")
        )
    return f"({', '.join(texts)})"


def takes_arguments(value):
    return inspect.isfunction(value) or (inspect.isclass(value) and inspect.isfunction(value.__init__))


def public_callables():
    """All public callables that MindSpore also has, and the recorded methods, by path."""
    for package in PACKAGES:
        module = importlib.import_module(f"minigraph.{package}")
        both = {name: getattr(module, name) for name in mindspore_exports()[f"mindspore.{package}"] & set(dir(module))}
        yield from ((f"{package}.{name}", value) for name, value in both.items() if takes_arguments(value))
    for path, owner in METHODS.items():
        members = inspect.getmembers(owner, inspect.isfunction)
        yield from ((f"{path}.{name}", member) for name, member in members if f"{path}.{name}" in EXPECTED)


OURS = {path: value for path, value in sorted(public_callables()) if not path.rpartition(".")[2].startswith("_")}


@in_one_test(OURS)
def test_arguments_are_mindspores(path):
    if path not in DIFFERENT:
        assert signature_text(OURS[path]) == "(" + EXPECTED[path]


@pytest.mark.parametrize("path", DIFFERENT)
def test_a_difference_is_counted_once_and_explained_by_its_cause(path):
    assert signature_text(OURS[path]) != "(" + EXPECTED[path]
    if DIFFERENT[path] is BY_NAME:
        named = [text for text in EXPECTED[path].rstrip(")").split(", ") if not text.startswith("*")]
        assert signature_text(OURS[path])[1:-1].split(", ")[: len(named)] == named


def test_the_record_holds_nothing_that_is_not_compared():
    assert set(EXPECTED) <= set(OURS)
