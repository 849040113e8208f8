"""The node tests of the installed package onnx, run on minigraph: which pass, and why the others do not.

A test counts if all of its inputs and outputs are tensors of floats (16 to 64 bits, bfloat16), integers (8 to 64 bits)
or bools. It passes if the outputs of the loaded network have the test's dtypes, shapes and, within its tolerance,
values.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx.backend.test.loader import load_model_tests

from minigraph import Tensor, load_onnx
from minigraph.core.errors import MinigraphError

INTEGERS = {f"{sign}INT{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)}
COUNTED_DTYPES = {"FLOAT", "FLOAT16", "DOUBLE", "BFLOAT16", "BOOL"} | INTEGERS


class Result(NamedTuple):
    """The result of one test: ``reason`` is empty if it passes."""

    name: str
    reason: str

    @property
    def passes(self) -> bool:
        """Whether the test passes."""
        return not self.reason


def counted_tests() -> Iterator[Any]:
    """The tests that count, in the order of the package."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # overflows of the package's own test data
        tests = load_model_tests(kind="node")
    for test in tests:
        if all(is_counted(value) for value in (*test.model.graph.input, *test.model.graph.output)):
            yield test


def is_counted(value: Any) -> bool:
    """Whether an input or output is a tensor of a dtype that counts."""
    kind = value.type.WhichOneof("value")
    return kind == "tensor_type" and onnx.TensorProto.DataType.Name(value.type.tensor_type.elem_type) in COUNTED_DTYPES


def run_test(test: Any) -> Result:
    """Run one test on minigraph."""
    try:
        network = load_onnx(test.model.SerializeToString())
        for inputs, outputs in test.data_sets:
            results = network(*(Tensor(array_of(value)) for value in inputs))
            check_results(results if isinstance(results, tuple) else (results,), outputs, test)
    except MinigraphError as error:
        return Result(test.name, f"refused: {reason_of(str(error))}")
    except AssertionError as error:
        return Result(test.name, f"differs: {' '.join(str(error).split())[:80]}")
    return Result(test.name, "")


def array_of(value: Any) -> np.ndarray:
    """The array of an input or output, which the package has as an array or as a proto."""
    return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else np.asarray(value)


def check_results(results: Sequence[Any], expected: Sequence[Any], test: Any) -> None:
    """Raise ``AssertionError`` unless all outputs have the expected dtypes, shapes and values."""
    assert len(results) == len(expected), f"{len(results)} outputs, not {len(expected)}"
    for result, value in zip(results, expected, strict=True):
        actual, reference = result.asnumpy(), array_of(value)
        types = f"{actual.dtype}{list(actual.shape)}, not {reference.dtype}{list(reference.shape)}"
        assert (actual.dtype, actual.shape) == (reference.dtype, reference.shape), types
        np.testing.assert_allclose(
            np.asarray(actual, np.float64), np.asarray(reference, np.float64), test.rtol, test.atol
        )


def reason_of(message: str) -> str:
    """The reason in an error message, without the test's own names and the remedy.

    >>> reason_of("no ONNX operator 'Foo' at model: Foo node 'y'; did you mean 'Floor'?")
    "no ONNX operator 'Foo'"
    """
    text = " ".join(message.split()).removeprefix("model: ").partition("; ")[0]
    return text.partition(" at model: ")[0].partition(" in `")[0][:100]
