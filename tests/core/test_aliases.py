"""Aliases of annotations: each names types that exist, and signatures show the alias."""

import inspect
import types
import typing

import numpy as np

from minigraph import Tensor, ops
from minigraph.core import aliases
from minigraph.core.types import DType
from tests.tables import results

SCOPE = vars(aliases) | {"Tensor": Tensor, "DType": DType, "EllipsisType": types.EllipsisType}


def members(alias):
    """The types of a union that is written as a string; of a sequence, the sequence."""
    return {typing.get_origin(member) or member for member in typing.get_args(eval(alias, SCOPE))}


test_unions = results(
    members,
    (aliases.TensorLike, {Tensor, bool, int, float, complex}),
    (aliases.DTypeLike, {DType, np.dtype, type, str, type(None)}),
)


def test_a_tensor_may_be_replaced_by_numbers():
    assert set(typing.get_args(aliases.Number)) | {Tensor} == members(aliases.TensorLike)


def test_signatures_show_the_alias():
    parameters = inspect.signature(ops.clip).parameters
    assert parameters["input"].annotation == "Tensor"
    assert parameters["min"].annotation == "TensorLike | None"
