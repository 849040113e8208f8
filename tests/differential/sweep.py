"""Cases from one line of a call table: the same call over dtypes, kinds of values and shapes."""

import re

from tests.differential.call_tables import INPUTS, PARAMETER
from tests.differential.case import DTYPES, Case

ALL_DTYPES, SAMPLE_DTYPES = tuple(DTYPES), ("f32", "i32", "f16")
SHAPES = ("", "3", "2,1,3,2", "0", "2,0,3")
SPECS = ("f32[17] edges", "f64[17] edges", "f16[17] edges", "i32[12] edges", "u8[6] edges", "f32[2,3] unit",
         "f16[2,3] unit", "f32[2,3] large", "f16[2,3] large", "f32[2,3] ties")  # fmt: skip
LETTER = re.compile(r"(?<![\w.'])([a-z]\d?)(?![\w'(]|=[^=])")


def lines_of(text):
    """(name, argument lists) of every line of a call table; an indented line continues the previous one.

    >>> dict(lines_of("add  x, y; x, 2\\n  x, v\\nabs  x"))
    {'add': ['x, y', 'x, 2', 'x, v'], 'abs': ['x']}
    """
    for line in re.sub(r"\n +", "; ", text.strip()).splitlines():
        name, _, rest = line.partition(" ")
        yield name, [args.strip() for args in rest.split(";")]


def takes_any_dtype(source):
    """Whether an expression has an input of any dtype."""
    return any("{d}" in INPUTS[letter] for letter in letters_of(source))


def letters_of(text):
    """The inputs an expression uses, in the order of the table.

    >>> letters_of("ops.add(x, y, out=v)")
    ['x', 'y', 'v']
    """
    letters = set(LETTER.findall(re.sub(r"'[^']*'", "", text)))
    return [letter for letter in INPUTS if letter in letters]


def case_of(group, source, dtype, x=None):
    """A case with the inputs its source uses; ``x`` is the spec of input x, and of y in another kind."""
    specs = {letter: INPUTS[letter].format(d=dtype) for letter in letters_of(source)}
    if x and "x" in specs:
        specs["x"] = x
    if x and "y" in specs:
        specs["y"] = x if "edges" in x else x.replace("normal", "nonzero")
    writes = re.search(r"\bnet\b", source)
    return Case(group, source, tuple(specs.items()), PARAMETER if writes else "", gradient=not writes)


def sweep_dtypes(group, sources, dtypes=ALL_DTYPES):
    """The first source over all dtypes, kinds of values and shapes; the others over a few dtypes."""
    for number, source in enumerate(sources):
        if not takes_any_dtype(source):
            yield case_of(group, source, "f32")
            continue
        yield from (case_of(group, source, dtype) for dtype in (SAMPLE_DTYPES if number else dtypes))
        if number == 0 and "x" in letters_of(source):
            specs = [*SPECS, *(f"f32[{shape}] normal" for shape in SHAPES)]
            yield from (case_of(group, source, "f32", spec) for spec in specs)
