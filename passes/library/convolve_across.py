"""Convolutions over many images go across them, also where that pays only because the images then lie that way.

::

    %2 = conv2d(%0, %1)          ->    %3 = conv2d_across(%0, %1)

Where rows are short, the convolution's own kernel does so. This is for longer ones with much to copy for a pixel, as
in the first layer of LeNet: turning images around takes as long as it saves there, but the pools and activations
behind it are faster on images that lie beside each other. Products are added up in another order, so values move by
rounding, and this is no part of a default pipeline; ``fast`` has it.
"""

from __future__ import annotations

import math

from minigraph.ir.graph import Graph, Ref
from minigraph.op import Op, apply
from minigraph.ops.records.across import goes_across
from minigraph.ops.records.conv import CONV2D, CONV2D_INPUT_GRAD, CONV2D_WEIGHT_GRAD
from minigraph.ops.records.conv_across import CONV2D_ACROSS, CONV2D_INPUT_GRAD_ACROSS, CONV2D_WEIGHT_GRAD_ACROSS
from minigraph.ops.records.img2col import Window
from minigraph.types import Shape
from passes.library.examples import examples
from passes.pipelines.registry import Options, graph_pass
from passes.rules.rewrite import apply_rules
from passes.rules.rule import rule

TOL = 1e-5  # relative, in float32
LONG = 32  # results in a row up to which it pays
TIMES = 3  # so many times as much to copy as to turn around
DEEP = 128  # numbers under a kernel from which the products, not the copies, take the time

LAYERS = ((16, 1, 18, 18), (2, 1, 5, 5)), ((17, 2, 20, 18), (3, 2, 5, 4)), ((16, 1, 18, 21), (4, 1, 6, 6))


def _conv(x: object, w: object) -> object:
    return apply("conv2d", x, w)


def _grads(x: object, w: object) -> tuple[object, object]:
    g = apply("conv2d", x, w)
    window = {"stride": 1, "padding": 0, "dilation": 1, "group": 1}
    images = apply("conv2d_input_grad", g, w, shape=x.shape, **window)  # type: ignore[attr-defined]
    return images, apply("conv2d_weight_grad", g, x, shape=w.shape, **window)  # type: ignore[attr-defined]


@rule(root=CONV2D, exact=False, tol=TOL, on=examples(_conv, *LAYERS))
def conv_across(graph: Graph, node: int) -> Ref | None:
    """The convolution itself."""
    image, weight = (graph.type(ref).shape for ref in graph.ins(node))
    return _across(graph, node, CONV2D_ACROSS, image, weight)


@rule(root=CONV2D_INPUT_GRAD, exact=False, tol=TOL, on=examples(_grads, *LAYERS))
def input_grad_across(graph: Graph, node: int) -> Ref | None:
    """Its gradient with respect to images."""
    weight = graph.type(graph.ins(node)[1]).shape
    return _across(graph, node, CONV2D_INPUT_GRAD_ACROSS, graph.type(node).shape, weight)


@rule(root=CONV2D_WEIGHT_GRAD, exact=False, tol=TOL, on=examples(_grads, *LAYERS))
def weight_grad_across(graph: Graph, node: int) -> Ref | None:
    """Its gradient with respect to weights."""
    image = graph.type(graph.ins(node)[1]).shape
    return _across(graph, node, CONV2D_WEIGHT_GRAD_ACROSS, image, graph.type(node).shape)


def _across(graph: Graph, node: int, op: Op, image: Shape, weight: Shape) -> Ref | None:
    attrs = {name: value for name, value in graph.attrs(node).items() if name in Window._fields}
    if math.prod(weight[1:]) > DEEP or not goes_across(image, weight, Window(**attrs), LONG, TIMES):
        return None
    return graph.emit(op, graph.ins(node), graph.attrs(node), [graph.type(node)], sources=(node,))


RULES = (conv_across, input_grad_across, weight_grad_across)


@graph_pass(tol=TOL)
def convolve_across(graph: Graph, *, options: Options) -> None:
    """conv2d(x, w) -> conv2d_across(x, w): convolutions of many images across them, gradients too; within 1e-5."""
    apply_rules(graph, RULES, options.tally)
