"""Parameters that were saved in slices, and models for MindSpore's second-order optimizer."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.errors import ArgTypeError, ArgValueError, UsageError
from minigraph.core.tensor import Parameter, Tensor


def merge_sliced_parameter(sliced_parameters: list[Parameter], strategy: object = None) -> Parameter:
    """One Parameter from its slices along the first axis, in their order, as several devices saved them.

    Raises ``TypeError`` or ``ValueError`` for other values and for slices with different names or shapes,
    ``UsageError`` for a ``strategy``, which describes slices along other axes.

    >>> slices = [Parameter(Tensor([[1.0]]), name="w"), Parameter(Tensor([[2.0]]), name="w")]
    >>> merge_sliced_parameter(slices)
    Parameter (name=w, shape=(2, 1), dtype=Float32, requires_grad=True)
    """
    where = "For 'merge_sliced_parameter', the"
    if not isinstance(sliced_parameters, list):
        kind = type(sliced_parameters)
        raise ArgTypeError(f"{where} argument 'sliced_parameters' should be list, but got {kind}.")
    if not sliced_parameters:
        raise ArgValueError(f"{where} argument 'sliced_parameters' should not be empty.")
    if strategy:
        raise UsageError(
            "merge_sliced_parameter: a strategy is MindSpore's own format; merge the slices with ops.concat"
        )
    first: Any = sliced_parameters[0]
    for position, parameter in enumerate(sliced_parameters):
        if not isinstance(parameter, Parameter):
            text = f"{where} element in 'sliced_parameters' should be 'Parameter', but got {type(parameter)}"
            raise ArgTypeError(f"{text} at index {position}.")
        if (parameter.name, parameter.shape[1:], parameter.ndim) != (first.name, first.shape[1:], first.ndim):
            expected = f"{first.name} and shape {first.shape} but for its first axis"
            raise ArgValueError(
                f"{where} slices have one name and shape, {expected}, but got {parameter} at {position}."
            )
    values = np.concatenate([parameter.asnumpy() for parameter in sliced_parameters])
    return Parameter(
        Tensor(values), first.name, first.requires_grad, first.layerwise_parallel, first.parallel_optimizer
    )


class ConvertModelUtils:
    """A namespace, as in MindSpore."""

    @staticmethod
    def convert_to_thor_model(
        model: Any, network: object, loss_fn: object = None, optimizer: object = None, metrics: object = None,
        amp_level: str = "O0", loss_scale_manager: object = None, keep_batchnorm_fp32: bool = False,
    ) -> Any:  # fmt: skip
        """The model unchanged: only for the optimizer ``thor``, which needs Ascend or a GPU, MindSpore changes it.

        >>> from minigraph import nn
        >>> model = object()
        >>> ConvertModelUtils.convert_to_thor_model(model, nn.ReLU()) is model
        True
        """
        return model
