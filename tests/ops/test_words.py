"""Every function, primitive and method takes the words that MindSpore's takes, recorded in ``mindspore_words.txt``."""

import inspect
from pathlib import Path

import pytest

from minigraph import Tensor, ops
from minigraph.core.errors import UsageError
from minigraph.ops import words
from tests.tables import in_one_test

RECORD = Path(__file__).parents[1] / "mindspore_words.txt"
LINES = [line.rstrip(")").partition("(") for line in RECORD.read_text().splitlines() if not line.startswith("#")]
WANTED = {path: names.split(", ") for path, _, names in LINES}

# where ours has other words, and why
OTHERWISE = {
    "ops.cond": "control flow; of a matrix it is the condition number, taken in order",
    "ops.constexpr": "takes all of them and needs none",
    "Tensor.init_data": "takes all of them and needs none",
    "Tensor.view": "the same bits as another dtype are not looked at",
}


def taken(path):
    """The names that a callable takes, in order; ``None`` if it takes any."""
    room, _, name = path.partition(".")
    found = getattr({"ops": ops, "Tensor": Tensor}[room], name)
    if hasattr(found, "defaults"):
        return list(found.defaults)
    known = inspect.signature(found).parameters
    if any(one.kind is one.VAR_KEYWORD for one in known.values()):
        return None
    plain = [name for name, one in known.items() if one.kind is not one.VAR_POSITIONAL]
    return [*plain, *sorted(getattr(found, "words", ()))]


FUNCTIONS = [path for path in WANTED if path.startswith("ops.") and path not in OTHERWISE]
METHODS = [path for path in WANTED if path.startswith("Tensor.") and path not in OTHERWISE]


@in_one_test(FUNCTIONS)
def test_functions_and_primitives_take_mindspores_words_in_its_order(path):
    assert taken(path)[: len(WANTED[path])] == WANTED[path]


@in_one_test(METHODS)
def test_methods_take_mindspores_words(path):
    names = taken(path)
    assert names is None or set(WANTED[path]) <= set(names)


@pytest.mark.parametrize("path", OTHERWISE)
def test_a_difference_is_one(path):
    assert path in WANTED
    names = taken(path)
    assert names is None or not set(WANTED[path]) <= set(names)


@pytest.mark.parametrize("table", [words.WORDS, words.STARRED, words.IDLE])
def test_the_tables_name_methods(table):
    for name in table:
        assert set(table[name]) <= getattr(Tensor, name).words


@pytest.mark.parametrize(("name", "word"), [(name, word) for name in words.IDLE for word in words.IDLE[name]])
def test_a_word_that_does_nothing_is_taken_as_nothing_and_else_refused(name, word):
    method = words.worded(name, lambda x, *args, **kwargs: (args, kwargs))
    for value in words.IDLE[name][word]:
        assert method(Tensor([1.0]), 5, **{word: value}) == ((5,), {})
    with pytest.raises(UsageError, match=rf"Tensor\.{name}: '{word}' exists in MindSpore but is not supported here"):
        method(Tensor([1.0]), **{word: "otherwise"})


@pytest.mark.parametrize(("name", "word"), [(name, word) for name in words.STARRED for word in words.STARRED[name]])
def test_numbers_one_by_one_go_by_a_word(name, word):
    assert words.worded(name, lambda x, *numbers: numbers)(None, **{word: (2, 3)}) == ((2, 3),)


def test_what_needs_no_words_is_left_alone():
    assert words.worded("floor", len) is len
    assert round(Tensor([1.26]), 1).tolist() == Tensor([1.3]).tolist()
