"""Tests of a family of operators: onnx's own node tests, and graphs that must equal eager results."""

from functools import cache

import pytest

import minigraph as ms

onnx = pytest.importorskip("onnx")


@cache
def counted_tests():
    """The node tests that count on the page of benchmarks, by the operator of their only node."""
    node_tests = pytest.importorskip("benchmarks.onnx_models.node_tests")
    tests = [test for test in node_tests.counted_tests() if len(test.model.graph.node) == 1]
    return [(test.model.graph.node[0].op_type, test) for test in tests]


def failing_tests(converters):
    """The node tests of operators with failing converters, except for tests of bfloat16."""
    run_test = pytest.importorskip("benchmarks.onnx_models.node_tests").run_test
    names = {key.partition("@")[0] for key in converters}
    tests = [test for kind, test in counted_tests() if kind in names]
    assert tests
    return {result.name for result in map(run_test, tests) if result.reason and "bfloat16" not in result.reason}


def node(kind, *ins, outs=("y",), **attrs):
    """A node of a model."""
    return onnx.helper.make_node(kind, list(ins), list(outs), **attrs)


def model(*nodes, opset=17, tensors=(), outs=("y",), **inputs):
    """The bytes of a model: ``inputs`` maps each name to a shape, or to an array of the type."""
    types = {name: (1, shape) if isinstance(shape, list | tuple) else (onnx.helper.np_dtype_to_tensor_dtype(
        shape.dtype), shape.shape) for name, shape in inputs.items()}  # fmt: skip
    infos = [onnx.helper.make_tensor_value_info(name, *type) for name, type in types.items()]
    results = [onnx.helper.make_empty_tensor_value_info(name) for name in outs]
    initializers = [onnx.numpy_helper.from_array(value, name) for name, value in dict(tensors).items()]
    graph = onnx.helper.make_graph(list(nodes), "g", infos, results, initializers)
    opsets = [onnx.helper.make_opsetid("", opset)]
    return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()


def run(data, *args):
    """The results of a model, eager; asserts that the captured graph gives the same."""
    network = ms.load_onnx(data)
    eager = network(*args)
    graph = ms.jit(network)(*args)
    as_tuple = eager if isinstance(eager, tuple) else (eager,)
    for a, b in zip(as_tuple, graph if isinstance(graph, tuple) else (graph,), strict=True):
        assert a.type is b.type and (abs(a.asnumpy() - b.asnumpy()) < 1e-5).all()
    return eager
