"""Graphs for tests: a training step, also with fused operators, long and wide graphs, and one with hostile texts."""

import random
import xml.etree.ElementTree as ET
from collections import namedtuple
from html.parser import HTMLParser

import numpy as np

from minigraph.core.location import Loc, user_loc
from minigraph.core.op import Op
from minigraph.core.types import TensorType, float32
from minigraph.ir.graph import Graph
from minigraph.ir.outline import outline
from minigraph.ir.structural_ops import CONST, INPUT, PARAMETER, Literal

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert('x')</script> \"quoted\" \\N \\l & &lt; ]]> --> %s {0}\x00\x1b\ud800 é 深"


def f32(*shape):
    return TensorType(shape, float32)


def op(name, unit="vector", family="elementwise", **fields):
    return Op(name, lambda *arrays: arrays[0], lambda *types: types[0], unit=unit, family=family, **fields)


MATMUL = op("matmul", "cube", "other")
ADD, MUL, RELU, EXP = (op(name) for name in ("add", "mul", "relu", "exp"))
SUM = op("sum", family="reduction")
RESHAPE = op("reshape", "none", "view")
COPY = op("copy", "move", "other")
ASSIGN = op("assign", "move", "other", effects=("write:{name}",), stores=True)
DEPEND = op("depend", "none", "other", role="depend")
SPLIT = op("split", "move", "other")
COND = op("cond", "none", "region")

Counts = namedtuple("Counts", "nodes edges bytes")
Stats = namedtuple("Stats", "rewrites")
Record = namedtuple("Record", "name before after counts_before counts_after seconds changed rules cycles")
Span = namedtuple("Span", "queue name start end bound_by wait moved after")
Skip = namedtuple("Skip", "start end times")
Explained = namedtuple("Explained", "rule node test reason matched at graph")
Report = namedtuple("Report", "spans mhz title skips", defaults=(1850, "step", ()))


def one_input(*types, title="net"):
    """A graph of an input of these types, without outputs."""
    graph = Graph(title=title)
    graph.inputs = [graph.emit(INPUT, (), {"name": "x"}, types or [f32(2)])]
    return graph


def step():
    """relu(x @ w + b) scaled and summed; w is updated, and the loss depends on the update.

    Ids: 0 x, 1 w, 2 b, 3 matmul, 4 add, 5 relu, 6 const, 7 mul, 8 mul, 9 reshape, 10 sum, 11 mul,
    12 assign, 13 depend.
    """
    graph = Graph(title="train_step")
    x = graph.emit(INPUT, (), {"name": "x"}, [f32(64, 64)])
    w = graph.emit(PARAMETER, (), {"name": "fc.weight"}, [f32(64, 10)])
    b = graph.emit(PARAMETER, (), {"name": "fc.bias"}, [f32(10)])
    graph.inputs = [x]
    product = graph.emit(MATMUL, (x, w), {}, [f32(64, 10)], loc=(user_loc(),))
    biased = graph.emit(ADD, (product, b), {}, [f32(64, 10)], loc=(user_loc(),))
    active = graph.emit(RELU, (biased,), {}, [f32(64, 10)], loc=(user_loc(),))
    rate = graph.emit(CONST, (), {"value": Literal(np.float32(0.1))}, [f32()])
    scaled = graph.emit(MUL, (active, rate), {}, [f32(64, 10)])
    square = graph.emit(MUL, (scaled, scaled), {}, [f32(64, 10)])
    flat = graph.emit(RESHAPE, (square,), {}, [f32(640)])
    loss = graph.emit(SUM, (flat,), {}, [f32()])
    smaller = graph.emit(MUL, (w, rate), {}, [f32(64, 10)])
    update = graph.emit(ASSIGN, (w, smaller), {"name": "fc.weight"}, [f32(64, 10)])
    tied = graph.emit(DEPEND, (loss, update), {}, [f32()])
    graph.order(product, update, "effect")
    graph.order(update, tied, "depend")
    graph.set_outs([tied, active])
    return graph


def missed_match(graph=None, at=3, matched=(5, 4), test="op"):
    """The explanation of a rule that matched the activation and the sum of ``step``, but no convolution."""
    reason = "%3 = matmul(%0, %1) does not match conv2d(x, w)" if test else ""
    return Explained("ConvBiasRelu", 5, test, reason, matched, at, graph or step())


def fused_step(name="bias_relu"):
    """``step`` with add, relu, mul, mul fused into node 14, which has two results."""
    graph = step()
    graph.by = "fuse_elementwise"
    outline(graph, [4, 5, 7, 8], {"name": name})
    return graph


def chain(length, loc=None):
    """One input and ``length`` operators in sequence."""
    graph = one_input(f32(4), title="chain")
    for _ in range(length):
        graph.emit(EXP, (graph.next_id - 1,), {}, [f32(4)], loc=loc or ())
    graph.set_outs([graph.next_id - 1])
    return graph


def random_dag(nodes, seed=0, reach=30):
    """Operators that read one or two of the last ``reach`` values."""
    choose, graph = random.Random(seed), one_input(f32(4), title="random")
    while len(graph) < nodes:
        newest = graph.next_id
        reads = [choose.randrange(max(0, newest - reach), newest) for _ in range(choose.randint(1, 2))]
        graph.emit(ADD if len(reads) == 2 else EXP, reads, {}, [f32(4)])
    graph.set_outs([graph.next_id - 1])
    return graph


def hostile():
    """A graph whose titles, names, labels, constants, file and function names are hostile."""
    loc = Loc(f"{HOSTILE}.py", 3, 0, 0, HOSTILE)
    graph = Graph(title=HOSTILE)
    x = graph.emit(INPUT, (), {"name": HOSTILE}, [f32(2)], loc=(loc,))
    w = graph.emit(PARAMETER, (), {"name": HOSTILE}, [f32(2)], loc=(loc,))
    graph.inputs = [x]
    odd = op(HOSTILE, label=lambda attrs: HOSTILE)
    total = graph.emit(odd, (x, w), {"note": HOSTILE}, [f32(2)], loc=(loc,))
    last = graph.emit(odd, (total,), {}, [f32(2)], loc=(loc,))
    graph.set_outs([last])
    outline(graph, [total, last], {"name": HOSTILE})
    return graph


def record(name, before, after, **fields):
    """The record of one pass."""
    counts = [Counts(len(graph), graph.number_of_edges(), 4 * len(graph)) for graph in (before, after)]
    values = {"seconds": 0.00042, "changed": before is not after, "rules": {}, "cycles": None} | fields
    return Record(name, before, after, *counts, **values)


def fuse_record(**fields):
    """The record of the pass from ``step`` to ``fused_step``."""
    return record("fuse_elementwise", step(), fused_step(), **fields)


def parse_svg(svg):
    """The SVG as an element tree; malformed XML fails."""
    return ET.fromstring(svg)


def texts(svg):
    """The texts of an SVG, in order."""
    return ["".join(element.itertext()) for element in parse_svg(svg).iter(f"{SVG}text")]


def classes(svg):
    """The class lists of all groups of an SVG."""
    return [set(element.get("class", "").split()) for element in parse_svg(svg).iter(f"{SVG}g")]


def statuses(scene):
    """The status of every marked box."""
    return {key: box.status for key, box in scene.boxes.items() if box.status}


class Tags(HTMLParser):
    """All start tags of a page with their attributes."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
