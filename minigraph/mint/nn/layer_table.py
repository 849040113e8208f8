"""The layers of ``mint.nn``: those of ``nn`` under the same names, and its own."""

from __future__ import annotations

from typing import Any

from minigraph import nn
from minigraph.core.missing_names import missing_name_getattr
from minigraph.mint.nn.layers import LAYERS

NAMES_SHARED_WITH_NN = """
AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveMaxPool1d AdaptiveMaxPool2d BCELoss ConstantPad1d ConstantPad2d
ConstantPad3d CosineEmbeddingLoss CrossEntropyLoss ELU Flatten GroupNorm Hardtanh Identity KLDivLoss L1Loss LogSigmoid
MSELoss Mish NLLLoss PReLU
PixelShuffle ReLU ReLU6 ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d SiLU Sigmoid
SoftMarginLoss
Tanh Threshold Upsample ZeroPad2d
"""
LAYER_BY_NAME: dict[str, Any] = {name: getattr(nn, name) for name in NAMES_SHARED_WITH_NN.split()} | LAYERS
globals().update(LAYER_BY_NAME)
nn_getattr = missing_name_getattr("mint.nn")

__all__ = [*LAYER_BY_NAME]  # noqa: PLE0604 - strings of a table
