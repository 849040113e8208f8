"""Operations that change strings: cases, Unicode forms, regular expressions, markup."""

from __future__ import annotations

import re
import unicodedata
from enum import IntEnum
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError
from minigraph.dataset.operation_table import OperationTable, operation_classes
from minigraph.dataset.readers.reader_arguments import check_instance
from minigraph.dataset.text.strings import check_type, map_strings
from minigraph.dataset.text.tokenizers import pattern_of


class NormalizeForm(IntEnum):
    """The forms of Unicode Standard Annex 15, and none."""

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


# The code points of the Unicode property Default_Ignorable_Code_Point.
IGNORABLE = frozenset(
    chr(code)
    for first, last in (
        (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
        (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
        (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
    )
    for code in range(first, last + 1)
)  # fmt: skip


def fold_case(text: str) -> str:
    """The form NFKC_Casefold of Unicode: for comparison without regard to case, width and invisible characters.

    >>> fold_case("Straße ﬁ ①")
    'strasse fi 1'
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", text).casefold())
    characters = "".join(character for character in folded.casefold() if character not in IGNORABLE)
    return unicodedata.normalize("NFKC", characters)


def normalize(text: str, form: NormalizeForm) -> str:
    """The text in a form of Unicode; ``NONE`` changes nothing."""
    return text if form is NormalizeForm.NONE else unicodedata.normalize(form.name, text)  # type: ignore[arg-type]


def case_fold(array: np.ndarray) -> np.ndarray:
    """Strings in lower case, in the form NFKC_Casefold of Unicode."""
    return map_strings("CaseFold", array, fold_case)


def normalize_strings(array: np.ndarray, normalize_form: NormalizeForm) -> np.ndarray:
    """Strings in a form of Unicode."""
    return map_strings("NormalizeUTF8", array, lambda text: normalize(text, normalize_form))


def _form_arguments(normalize_form: NormalizeForm = NormalizeForm.NFKC) -> dict[str, Any]:
    check_type("normalization_form", normalize_form, NormalizeForm, "enum of 'NormalizeForm'")
    return {"normalize_form": normalize_form}


# ---- regular expressions ---------------------------------------------------------------------------

ESCAPE_OR_GROUP = re.compile(r"\\(.)|\$(\d)", re.DOTALL)


def expand(template: str, match: re.Match[str]) -> str:
    """A template with ``$1`` and so on replaced by the groups of a match, and ``\\\\x`` by ``x``.

    >>> expand("$2-$1", re.match("(a)(b)", "ab"))
    'b-a'
    """
    return ESCAPE_OR_GROUP.sub(lambda escape: escape[1] if escape[1] else match[int(escape[2])] or "", template)


def replace_matches(array: np.ndarray, pattern: str, replace: str, replace_all: bool) -> np.ndarray:
    """Strings with the matches of a regular expression (of Python's ``re``) replaced, or only the first match.

    ``$1`` in ``replace`` is the first group. Raises ``RuntimeError`` for an expression that Python does not know.
    """
    compiled = pattern_of("RegexReplace", pattern)
    try:
        return map_strings(
            "RegexReplace",
            array,
            lambda text: compiled.sub(lambda match: expand(replace, match), text, not replace_all),
        )
    except IndexError:
        raise ArgRuntimeError(f"RegexReplace: {replace!r} names a group that {pattern!r} does not have") from None


def _replace_arguments(pattern: str, replace: str, replace_all: bool = True) -> dict[str, Any]:
    check_instance("pattern", pattern, (str,))
    check_instance("replace", replace, (str,))
    check_instance("replace_all", replace_all, (bool,))
    return {"pattern": pattern, "replace": replace, "replace_all": replace_all}


OPERATION_TABLE: OperationTable = {
    "CaseFold": (case_fold, dict),
    "NormalizeUTF8": (normalize_strings, _form_arguments),
    "RegexReplace": (replace_matches, _replace_arguments),
}
OPERATIONS = operation_classes(OPERATION_TABLE, "minigraph.dataset.text")
globals().update(OPERATIONS)
__all__ = ["NormalizeForm", *OPERATIONS]  # noqa: PLE0604 - strings
