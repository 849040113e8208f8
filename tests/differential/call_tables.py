"""Named inputs, and tables of calls that use them.

A table in ``tables/`` has one line per name with argument lists separated by ``;``, which use the inputs below; an
indented line continues the previous one. A name without a line is called with one or two tensors, as its signature
requires. A table may have names that minigraph lacks: they are recorded, and join the grid with the function.
"""

from pathlib import Path

# Inputs by letter; {d} is the dtype of the case.
INPUTS = {
    "x": "{d}[2,3] normal",
    "y": "{d}[2,3] nonzero",
    "v": "{d}[3] normal",
    "s": "{d}[] nonzero",
    "w": "{d}[3,4] normal",
    "a": "{d}[2,3,4] normal",
    "b": "{d}[2,4,3] normal",
    "o": "{d}[1,3,1] normal",
    "q": "{d}[2,4,5,5] normal",
    "k": "{d}[6,4,3,3] normal",
    "g": "{d}[6,2,3,3] normal",
    "r": "{d}[6] normal",
    "t": "{d}[2,3] ties",
    "u": "{d}[2,3] unit",
    "p": "{d}[3] positive",
    "e": "{d}[4] sorted",
    "z": "{d}[3,3] definite",
    "m": "bool[2,3] normal",
    "i": "i64[2] below2",
    "j": "i32[2] below2",
    "n": "i64[2,3] below3",
    "l": "i32[2] below3",
    "h": "i64[2,2] below2",
    "f": "f32[2,3] normal",
    "v2": "{d}[2] normal",
    "p4": "{d}[4] positive",
    "v4": "{d}[4] normal",
    "w4": "{d}[4,2] normal",
    "a4": "{d}[2,4] normal",
    "m4": "bool[3,4] normal",
    "m2": "i64[1,3] below2",
    "c": "{d}[1,2,4,4,4] normal",
    "c6": "{d}[1,4,6] normal",
    "d": "f32[3,4] sorted",
    "k1": "{d}[5,3,2] normal",
    "k3": "{d}[3,2,2,2,2] normal",
}

# The source of ``net``, a Parameter for calls that write to one.
PARAMETER = "net = Parameter(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)), name='net')"


def table(name):
    """The text of a table."""
    return (Path(__file__).parent / "tables" / f"{name}.txt").read_text(encoding="utf-8")


FUNCTIONS, METHODS, NUMPY = table("functions"), table("methods"), table("numpy")
DRAWN, NUMPY_DRAWN = table("drawn"), table("numpy_drawn")  # random values: only shapes and dtypes are compared
MINT = table("mint")  # names of ``ms.mint``; names in its modules have their path
PRIMITIVES = table("primitives")  # name, configuration and inputs, separated by ``|``

# Properties of a tensor.
PROPERTIES = "shape dtype ndim size itemsize nbytes T mT strides"
