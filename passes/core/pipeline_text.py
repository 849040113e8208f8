"""The textual form of pass options, ``{max=8, rules=cube}``: writing and scanning. Names need no quotes there."""

from __future__ import annotations

from minigraph.core.aliases import Attrs, AttrValue
from minigraph.core.errors import MinigraphError, ParseError
from minigraph.core.types import DTYPES
from minigraph.ir.attribute_values import IDENTIFIER, ValueWriter, name_text
from minigraph.ir.scanner import KEYWORD_VALUES, Scanner

_RESERVED_WORDS = {*KEYWORD_VALUES, *(dtype.short for dtype in DTYPES), *(dtype.name for dtype in DTYPES), "inf", "nan"}


def options_text(options: Attrs) -> str:
    """``{name=value, ...}``, or an empty string without options.

    >>> options_text({"max": 8, "rules": ("cube", "Tail"), "to": "f32"})
    '{max=8, rules=(cube, Tail), to="f32"}'
    """
    if not options:
        return ""
    return "{" + ", ".join(f"{name_text(name)}={_value_text(value)}" for name, value in options.items()) + "}"


def _value_text(value: object) -> str:
    if isinstance(value, str) and is_bare(value):
        return value
    if type(value) is tuple:
        return f"({', '.join(map(_value_text, value))}{',' * (len(value) == 1)})"
    return ValueWriter().value(value)


def is_bare(word: str) -> bool:
    """Whether a string needs no quotes: it is a name, and not a reserved word.

    >>> is_bare("cube"), is_bare("f32"), is_bare("true"), is_bare("two words")
    (True, False, False, False)
    """
    return bool(IDENTIFIER.fullmatch(word)) and word not in _RESERVED_WORDS


class PipelineScanner(Scanner):
    """Scans a pipeline; a bare name is a string, and errors show their position with a caret."""

    def __init__(self, text: str) -> None:
        super().__init__(text, "pipeline")

    def error(self, message: str) -> ParseError:
        """The error at the current position."""
        return ParseError(self.with_caret(f"{self.where}: {message}", self.at))

    def with_caret(self, message: str, position: int) -> str:
        """The text, then the part of the pipeline around a position, with a caret below it.

        >>> print(PipelineScanner("dce,cze").with_caret("no pass 'cze'", 4))
        no pass 'cze'
          dce,cze
              ^
        """
        start = max(0, position - 60)
        excerpt = self.text[start : start + 100].replace("\n", " ")
        return f"{message}\n  {excerpt}\n  {' ' * (position - start)}^"

    def value(self) -> AttrValue:
        """The next value; raises ``ParseError`` if there is none."""
        word = IDENTIFIER.match(self.text, self.at)
        if word and is_bare(word.group()) and self.text[word.end() : word.end() + 1] not in ("(", "<", "["):
            self.match(IDENTIFIER)
            return word.group()
        try:
            return super().value()
        except ParseError:
            raise
        except MinigraphError as error:
            raise self.error(str(error)) from None
