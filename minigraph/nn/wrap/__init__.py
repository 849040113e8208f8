"""Wrappers around a network: with its loss, with a training step, for evaluation."""

from minigraph.nn.wrap.evaluation import WithEvalCell
from minigraph.nn.wrap.gradients import ForwardValueAndGrad, Jvp, Vjp, WithGradCell
from minigraph.nn.wrap.loss_scale import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepWithLossScaleCell,
)
from minigraph.nn.wrap.training import ParameterUpdate, TrainOneStepCell, WithLossCell

__all__ = [
    "DynamicLossScaleUpdateCell", "FixedLossScaleUpdateCell", "ForwardValueAndGrad", "Jvp",
    "ParameterUpdate", "TrainOneStepCell", "TrainOneStepWithLossScaleCell", "Vjp", "WithEvalCell",
    "WithGradCell", "WithLossCell",
]  # fmt: skip
