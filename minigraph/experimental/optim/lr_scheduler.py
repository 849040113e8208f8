"""``mindspore.experimental.optim.lr_scheduler``: each ``step()`` changes the rates of an optimizer."""

from minigraph.experimental.optim.combined_scheduler import ReduceLROnPlateau, SequentialLR
from minigraph.experimental.optim.cyclic_scheduler import CosineAnnealingLR, CosineAnnealingWarmRestarts, CyclicLR
from minigraph.experimental.optim.scheduler import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)

__all__ = [
    "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR", "LRScheduler",
    "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR",
    "StepLR",
]  # fmt: skip
