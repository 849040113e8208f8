"""Syntax without function calls: operators, indices, creation and printing of tensors."""

import re
from itertools import product

from tests.differential.call_tables import INPUTS
from tests.differential.case import Case
from tests.differential.sweep import ALL_DTYPES, case_of, letters_of

# ---- operators -------------------------------------------------------------------------------------

COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]
BINARY = ["+", "-", "*", "/", "//", "%", "**", *COMPARISONS, "&", "|", "^"]
UNARY = ("-", "+", "~", "abs", "not ", "bool", "int", "float", "len", "round")
BROADCASTS = (("", ""), ("3", ""), ("2,3", "3"), ("2,1", "1,3"), ("2,1,3,1", "4,1,2"), ("0", "1"), ("2,3", "2"),
              ("2,0", "1"), ("0,3", "2,3"), ("1", "3"))  # fmt: skip
NUMBERS = ("2", "0", "-3", "2.5", "-0.5", "True", "False", "1e30", "300")


def operator_cases():
    """Arithmetic, comparison and logic with signs, over pairs of dtypes, numbers and shapes."""
    for sign in BINARY:
        group, both = f"operator {sign}", f"x {sign} y"
        for x, y in product(ALL_DTYPES, ALL_DTYPES):
            yield Case(group, both, (("x", f"{x}[2,3] normal"), ("y", f"{y}[3] nonzero")))
        for x, number in product(ALL_DTYPES, NUMBERS):
            yield Case(group, f"x {sign} {number}", (("x", f"{x}[3] nonzero"),))
            if number in ("2", "2.5", "True", "-3"):
                yield Case(group, f"{number} {sign} x", (("x", f"{x}[3] nonzero"),))
        for x, y in BROADCASTS:
            yield Case(group, both, (("x", f"f32[{x}] normal"), ("y", f"f32[{y}] nonzero")))
        for dtype in ("f32", "f16", "i32", "u8"):
            yield Case(group, both, (("x", f"{dtype}[12] edges"), ("y", f"{dtype}[12] normal")))
            yield Case(group, both, (("x", f"{dtype}[12] normal"), ("y", f"{dtype}[12] edges")))
        for other in ("None", "'a'", "[1, 2, 3]", "(1.0, 2.0, 3.0)", "np.ones(3, np.float32)", "x"):
            yield Case(group, f"x {sign} {other}", (("x", "f32[3] nonzero"),))
        yield Case(group, f"np.ones(3, np.float32) {sign} x", (("x", "f32[3] nonzero"),))
        again = f"x {sign} 2 {sign} 3" if sign in COMPARISONS else f"x {sign}= 2\nreturn x"
        yield Case(group, again, (("x", "f32[3] nonzero"),))
    for dtype, sign in product(ALL_DTYPES, UNARY):
        yield Case(f"operator {sign.strip()}", f"{sign}(x)", (("x", f"{dtype}[2,3] normal"),))
        yield Case(f"operator {sign.strip()}", f"{sign}(x)", (("x", f"{dtype}[] nonzero"),))


PRODUCTS = (("2,3", "3,4"), ("3", "3"), ("3", "3,2"), ("2,3", "3"), ("5,2,3", "3,4"), ("5,2,3", "5,3,4"),
            ("2,1,2,3", "4,3,2"), ("3", "5,3,2"), ("2,3", "4,3"), ("", "3"), ("2,0", "0,3"), ("0,2", "2,3"),
            ("5,2,3", "4,3,2"), ("1,3", "3,1"))  # fmt: skip


def product_cases():
    """Matrix products with ``@``."""
    for x, y in PRODUCTS:
        yield Case("operator @", "x @ y", (("x", f"f32[{x}] normal"), ("y", f"f32[{y}] normal")))
    for x, y in product(ALL_DTYPES, ALL_DTYPES):
        if x == y or "f32" in (x, y):
            yield Case("operator @", "x @ y", (("x", f"{x}[2,3] normal"), ("y", f"{y}[3,2] normal")))


KEYS = """
0; 1; -1; 2; -3; 0:1; 1:; :-1; ::2; ::-1; -1:0:-1; 5:; 0:0; ...; None; 0, 1; 0, :, 1; ..., 0; 0, ...; :, None; None, 0
1, 2, 3; 1, 5; :, 1:3; :, ::2, 1; ..., None; 0, None, :, 1; [0, 1]; [0, 1, 1]; [1, 0], [0, 2]; :, [0, 2]; [0], :, [1, 2]
True; False; [True, False]; 0, 0, 0, 0; ..., ...; i; h; i, i; :, i; i, :, i; i, 0; j; :, i, None; m; x > 0; 1.0; 'a'
i[0]; np.array([0, 1]); (); 3; [5]; ::0; [-1, 0]; 0:5; -5:2; i, 1:3; 0, i; [[0, 1], [1, 0]]; Tensor(1); m, 0; 0, m4
"""


def index_cases():
    """Reading with an index, and writing with one."""
    for key, x in product(_items(KEYS), ("a", "x", "v")):
        source = re.sub(r"\bx\b", x, key)
        used = dict.fromkeys([x, *letters_of(source)])
        inputs = tuple((letter, INPUTS[letter].format(d="f32")) for letter in used)
        yield Case("index", f"{x}[{source}]", inputs)
        if x != "v":
            for value in ("5.0", "2") if x == "x" else ("5",):
                yield Case("set index", f"{x}[{source}] = {value}\nreturn {x}", inputs, gradient=False)
    for dtype in ALL_DTYPES:
        yield case_of("index", "x[1, ::2]", dtype)
        yield case_of("index", "x[i]", dtype)
        for value in ("3", "v", "f[0]"):
            yield case_of("set index", f"x[0] = {value}\nreturn x", dtype)._replace(gradient=False)
    for source in ("x[0] += 1", "x[:, 1] *= 2", "x[x > 0] = 0", "x[0] = x[1]", "x[0] = [1.0, 2.0, 3.0]", "x[...] = y",
                   "x[0, 1] = True", "x[i] = y", "x[0] = y", "x[0, :2] = y[0]"):  # fmt: skip
        yield case_of("set index", f"{source}\nreturn x", "f32")._replace(gradient=False)
        yield case_of("set index", f"z = x * 2\n{source.replace('x[', 'z[')}\nreturn z", "f32")


# ---- making and printing tensors -------------------------------------------------------------------

DATA = """
1; 1.0; True; 1 + 2j; [1, 2]; [1.0, 2]; [True, False]; [[1, 2], [3, 4]]; [[1.0], [2.0]]; []; [[]]; (1, 2); 'a'; None
np.ones(2); np.ones(2, np.float32); np.arange(3); np.arange(3, dtype=np.int32); np.float64(1); np.float32(1.5)
np.int64(3); np.bool_(True); [[1, 2], [3]]; [1, 'a']; Tensor([1.0]); [Tensor(1.0), Tensor(2.0)]; 2 ** 40; -1; 1e300
np.array(2.5); np.zeros((0, 2)); np.array([True, False]); [np.float32(1.0), 2]; [np.int32(1), np.int32(2)]; {}
[1, True]
float('nan'); [float('inf'), 1]; 0.1; [1 + 2j]; range(3); b'a'; np.ones((2, 2), np.float16); [None]; np.uint8(7)
"""

CONVERTED = "1; 2.7; [1, -2]; [0.0, 1.5]; True; np.ones(2); Tensor([1.5, -2.5]); []"
CONVERSIONS = "bool_ int8 int32 int64 uint8 float16 float32 float64"

QUERIES = """
Tensor([1.0], dtype=np.float32); Tensor([1.0], 'float32'); Tensor(3, dtype=float); Tensor(1)[0]; str(ms.float32)
repr(ms.float32); ms.float32 == ms.float32; str(Tensor(1.0).dtype); Parameter(3)
Parameter(Tensor([1.0, 2.0]), name='w'); repr(Parameter(Tensor([1.0]), name='w'))
str(Parameter(Tensor([1.0]), name='w')); Parameter([1.0, 2.0], name='w').dtype; Tensor([1.0, 2.0]).asnumpy()
len(Tensor([1, 2])); Tensor([1.0]) is None; Tensor(2.5).item(); f'{Tensor(2.5)}'; f'{Tensor(2.5):.2f}'
float(Tensor(2.5)); [str(r) for r in Tensor([1, 2])]; Tensor.from_numpy(np.ones(2)); isinstance(Tensor(1), Tensor)
Tensor([1, 2]) in [Tensor([1, 2])]; hash(Tensor(1)) == hash(Tensor(1)); Tensor([1, 2]).asnumpy().dtype.name
"""


def creation_cases():
    """Tensors created from Python and numpy data, with every dtype, and queries of tensors."""
    for data in _items(DATA):
        yield Case("Tensor", f"Tensor({data})")
        yield Case("Tensor", f"repr(Tensor({data}))")
    for data, dtype in product(_items(CONVERTED), CONVERSIONS.split()):
        yield Case("Tensor", f"Tensor({data}, ms.{dtype})")
    for source in _items(QUERIES):
        yield Case("Tensor", source)


def _items(text):
    return [item.strip() for item in text.replace("\n", ";").split(";") if item.strip()]


SHOWN = (
    "[] normal", "[3] normal", "[2,3] normal", "[2,1,2] normal", "[7] normal", "[8,2] normal", "[2,8] normal",
    "[0] normal", "[2,0] normal", "[12] edges", "[3] large", "[1001] normal", "[3,3,9] normal", "[1] normal",
    "[13] normal", "[25] normal",
)  # fmt: skip


def printing_cases():
    """How tensors print, alone and in containers."""
    for dtype, shown in product(ALL_DTYPES, SHOWN):
        if "large" not in shown or dtype in ("f16", "f32", "f64", "i32", "i64"):
            yield Case("printing", "repr(x)", (("x", dtype + shown),))
            yield Case("printing", "str(x)", (("x", dtype + shown),))
    for source in ("str((x, x))", "str([x])", "str({'a': x})", "f'{x}'", "'%s' % x", "format(x)"):
        yield case_of("printing", source, "f32")
