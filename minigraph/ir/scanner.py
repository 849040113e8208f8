"""A recursive-descent parser of attribute values; it never evaluates text as code."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from minigraph.core.aliases import AttrValue
from minigraph.core.errors import MinigraphError, ParseError
from minigraph.core.location import Loc
from minigraph.core.types import DType, TensorType, dtype_named
from minigraph.ir.attribute_values import IDENTIFIER, RECORDS, array_of
from minigraph.ir.graph_reader import Ref, reference
from minigraph.ir.structural_ops import Literal

MAX_NESTING = 64  # of tuples and calls

STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
NUMBER = re.compile(r"0x[0-9a-f]+|-?(?:inf\b|nan\b|\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
TYPE = re.compile(r"([a-z]+\d*)\[([\d,]*)\]")
LOC = re.compile(rf'({STRING.pattern}|[^\s",#]+?):(\d+)(?=[,\s]|$)')
REF = re.compile(r"%((?:\d+(?:\.\d+)?/)*)(\d+)(?:\.(\d+))?")
KEYWORD_VALUES = {"true": True, "false": False, "none": None, "ellipsis": Ellipsis}


class Scanner:
    """Parses one line from left to right; raises ``ParseError`` with the line at a syntax error."""

    def __init__(self, text: str, where: str, literals: Mapping[int, Literal] | None = None) -> None:
        self.text, self.where, self.at = text, where, 0
        self.literals = literals or {}
        self.path = ""  # the prefix of value names on this line, if it is a line of a body
        self.depth = 0

    def error(self, message: str) -> ParseError:
        """The error for this line."""
        excerpt = self.text.strip()
        return ParseError(f"{self.where}: {message}: '{excerpt if len(excerpt) <= 100 else excerpt[:97] + '...'}'")

    def accept(self, token: str) -> bool:
        """Accept ``token`` if it comes next: consume it and the blanks after it, and return whether it did."""
        if not self.text.startswith(token, self.at):
            return False
        self.at += len(token)
        while self.text[self.at : self.at + 1] == " ":
            self.at += 1
        return True

    def expect(self, token: str, after: str) -> None:
        """Consume ``token``; raises ``ParseError`` if it does not come next."""
        if not self.accept(token):
            raise self.error(f"expected '{token}' after {after}")

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Consume what ``pattern`` matches here; ``None`` if it does not match."""
        match = pattern.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
            self.accept("")
        return match

    def list_of(self, parse_item: Callable[[], Any], end: str, after: str) -> list[Any]:
        """Comma-separated items up to ``end``."""
        items: list[Any] = []
        while not self.accept(end):
            items.append(parse_item())
            if not self.accept(","):
                self.expect(end, after)
                break
        return items

    def name(self) -> str:
        """A plain or quoted name."""
        word = self.match(IDENTIFIER)
        return word.group() if word else self.string()

    def string(self) -> str:
        """A quoted string."""
        match = self.match(STRING)
        if match is None:
            raise self.error(f"expected a name or a quoted string at column {self.at + 1}")
        try:
            return str(json.loads(match.group()))
        except ValueError:
            raise self.error("malformed string: strings have the syntax of JSON") from None

    def ref(self) -> Ref:
        """``%7``, ``%7.1``, or in the body of node 8 also ``%8/7``."""
        match = self.match(REF)
        if match is None:
            raise self.error(f"expected a value such as %7 at column {self.at + 1}")
        if match[1] not in ("", self.path):
            raise self.error(f"{match[0]} is not of this graph, whose values are %{self.path}0, ...")
        return reference(int(match[2]), int(match[3] or 0))

    def loc(self) -> Loc:
        """``net.py:12``."""
        match = self.match(LOC)
        if match is None:
            raise self.error(f"expected a source line such as net.py:12 at column {self.at + 1}")
        return Loc(json.loads(match[1]) if match[1].startswith('"') else match[1], int(match[2]))

    def attrs(self) -> dict[str, Any]:
        """``{name=value, ...}`` if it comes next, else an empty dict."""
        return dict(self.list_of(self._attr, "}", "attributes")) if self.accept("{") else {}

    def type(self) -> TensorType:
        """``f32[2,3]``."""
        match = self.match(TYPE)
        if match is None:
            raise self.error(f"expected a type such as f32[2,3] at column {self.at + 1}")
        return TensorType(tuple(int(size) for size in match[2].split(",") if size), self._dtype(match[1]))

    def value(self) -> AttrValue:
        """One attribute value; raises ``ParseError`` for anything without a text form."""
        if self.text[self.at : self.at + 1] == '"':
            return self.string()
        if self.accept("("):
            return self._read_nested(lambda: tuple(self.list_of(self.value, ")", "a tuple")))
        if TYPE.match(self.text, self.at):
            return self._type_or_literal(self.type())
        number = self.match(NUMBER)
        return _parse_number(number.group()) if number else self._word()

    def _attr(self) -> tuple[str, Any]:
        name = self.name()
        self.expect("=", f"attribute '{name}'")
        return name, self.value()

    def _read_nested(self, read: Callable[[], AttrValue]) -> AttrValue:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise self.error(f"tuples nest deeper than {MAX_NESTING}")
        value = read()
        self.depth -= 1
        return value

    def _dtype(self, short: str) -> DType:
        try:
            return dtype_named(short)
        except MinigraphError as error:
            raise self.error(str(error)) from None

    def _type_or_literal(self, kind: TensorType) -> TensorType | Literal:
        if self.accept("<..."):
            raise self.error("this text was printed without its literals; print with literals=True")
        if self.accept("<"):
            return Literal(self._array(kind))
        if not self.accept("@"):
            return kind
        number = int((self.match(NUMBER) or [-1])[0])
        if number not in self.literals or self.literals[number].type != kind:
            raise self.error(f"the section 'literals:' has no {kind} @{number}")
        return self.literals[number]

    def _array(self, kind: TensorType) -> np.ndarray:
        texts = self.list_of(self._element, ">", "elements")
        real = np.empty(0, kind.dtype.numpy).real.dtype
        try:
            return array_of(real, texts).view(kind.dtype.numpy).reshape(kind.shape)
        except (ValueError, OverflowError):
            raise self.error(f"these elements do not form a {kind}") from None

    def _element(self) -> str:
        match = self.match(NUMBER) or self.match(IDENTIFIER)
        if match is None:
            raise self.error(f"expected an element at column {self.at + 1}")
        return match.group()

    def _word(self) -> AttrValue:
        word = self.match(IDENTIFIER)
        if word is None:
            raise self.error(f"expected a value at column {self.at + 1}")
        if word.group() in KEYWORD_VALUES:
            return KEYWORD_VALUES[word.group()]
        if self.accept("("):
            return self._read_nested(lambda: self._call(word.group()))
        dtype = self._dtype(word.group())
        return self._array(TensorType((1,), dtype))[0] if self.accept("<") else dtype

    def _call(self, word: str) -> AttrValue:
        args = self.list_of(self.value, ")", f"the arguments of {word}")
        if word == "opaque":
            raise self.error("this attribute value has no text form")
        if word == "float" and len(args) == 1 and isinstance(args[0], int):
            return struct.unpack(">d", args[0].to_bytes(8, "big"))[0]
        if word == "complex" and [type(arg) for arg in args] == [float, float]:
            return complex(*args)
        if word == "slice" and len(args) == 3:
            return slice(*args)
        if word in RECORDS and len(args) == len(RECORDS[word]._fields):
            return RECORDS[word](*args)
        raise self.error(f"unknown attribute value '{word}(...)' with {len(args)} arguments")


def _parse_number(text: str) -> int | float:
    if text.startswith("0x"):
        return int(text, 16)
    return int(text) if text.lstrip("-").isdigit() else float(text)


def parse_packed_literal(scanner: Scanner) -> tuple[int, Literal]:
    """Parse a line ``@0 = f32[100] <base64>`` of the trailing section; decompresses no more bytes than the type has."""
    scanner.expect("@", "the literals section began")
    number = int((scanner.match(NUMBER) or [-1])[0])
    scanner.expect("=", "the literal's number")
    kind = scanner.type()
    try:
        packed = base64.b64decode(scanner.text[scanner.at :], validate=True)
        unzip = zlib.decompressobj()
        raw = unzip.decompress(packed, kind.nbytes + 1)
    except (ValueError, zlib.error):
        raise scanner.error("the data of a literal is damaged") from None
    if len(raw) != kind.nbytes or not unzip.eof:
        raise scanner.error(f"the data of a literal is not the {kind.nbytes} bytes of {kind}")
    return number, Literal(np.frombuffer(raw, kind.dtype.numpy).reshape(kind.shape))
