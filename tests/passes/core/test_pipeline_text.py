"""Options as text: bare names, quoted strings, and everything else as in graph text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigraph.core.types import float32
from minigraph.ir.exact_keys import exact_attrs_key
from passes.core.pipeline_text import PipelineScanner, is_bare, options_text
from tests.tables import cases, error_of

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9), st.just(float32)),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=6,
)


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), VALUES, max_size=4))
def test_options_read_back_to_the_bit(options):
    scan = PipelineScanner(options_text(options))
    assert exact_attrs_key(scan.attrs()) == exact_attrs_key(options)
    assert scan.at == len(scan.text)


@cases(
    ("cube", "{a=cube}"),
    ("net.tail", "{a=net.tail}"),
    ("", '{a=""}'),
    ("two words", '{a="two words"}'),
    ("true", '{a="true"}'),
    ("float32", '{a="float32"}'),
    ("inf", '{a="inf"}'),
    (True, "{a=true}"),
    (float32, "{a=f32}"),
    (("x",), "{a=(x,)}"),
    ((("x", 1), 2.5), "{a=((x, 1), 2.5)}"),
)
def test_the_text_of_a_value(value, text):
    assert options_text({"a": value}) == text
    assert PipelineScanner(text).attrs() == {"a": value}
    assert options_text({}) == ""


@pytest.mark.parametrize("word", ["none", "ellipsis", "i64", "int64", "9x", "a b", "a,b", ""])
def test_reserved_words_need_quotes(word):
    assert not is_bare(word)


@cases(("{a=}", 3), ("{a=1", 4), ("{a", 2), ("{a=(1,,2)}", 6), ("{a=f32<x>}", None))
def test_errors_have_a_caret_at_their_position(text, column):
    what, shown, caret = error_of(PipelineScanner(text).attrs).split("\n")
    assert what.startswith("ParseError: pipeline: ") and shown == f"  {text}"
    assert column is None or caret == "  " + " " * column + "^"


def test_a_long_pipeline_is_shortened_around_the_caret():
    text = "dce," * 60
    shown, caret = PipelineScanner(text).with_caret("wrong", 200).split("\n")[1:]
    assert len(shown) <= 102 and caret.index("^") <= 62
