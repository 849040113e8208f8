"""The layers of ``mint.nn`` as rows of tables."""

from __future__ import annotations

from typing import Any

from minigraph import nn
from minigraph.core.missing_names import missing_name_getattr
from minigraph.mint.nn.layers import LAYERS

# layers that equal layers of nn
SHARED = """
AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveMaxPool1d AdaptiveMaxPool2d BCELoss ConstantPad1d ConstantPad2d
ConstantPad3d CosineEmbeddingLoss CrossEntropyLoss ELU Flatten GroupNorm Hardtanh Identity KLDivLoss L1Loss LogSigmoid
MSELoss Mish NLLLoss PReLU
PixelShuffle ReLU ReLU6 ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d SiLU Sigmoid
SoftMarginLoss
Tanh Threshold Upsample ZeroPad2d
"""
NAMES: dict[str, Any] = {name: getattr(nn, name) for name in SHARED.split()} | LAYERS
globals().update(NAMES)
nn_getattr = missing_name_getattr("mint.nn")

__all__ = [*NAMES]  # noqa: PLE0604 - strings of a table
