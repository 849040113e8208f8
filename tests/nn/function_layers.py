"""Layers without Parameters that are one function of ``ops``, each with an input."""

import numpy as np

from minigraph import nn

RANDOM = np.random.default_rng(13)
VOLUMES = np.random.default_rng(3).standard_normal((2, 2, 4, 5, 4))
IMAGES, ROWS = RANDOM.standard_normal((2, 4, 4, 6)), RANDOM.standard_normal((2, 3, 6))
LAYERS = {
    "PixelShuffle": (nn.PixelShuffle(2), IMAGES),
    "PixelUnshuffle": (nn.PixelUnshuffle(2), IMAGES),
    "ChannelShuffle": (nn.ChannelShuffle(2), IMAGES),
    "Upsample": (nn.Upsample(size=(3, 8), mode="bilinear"), IMAGES),
    "LPPool1d": (nn.LPPool1d(2.0, 2), np.abs(ROWS) + 0.1),
    "LPPool2d": (nn.LPPool2d(2.0, 2, ceil_mode=True), np.abs(IMAGES) + 0.1),
    "LRN": (nn.LRN(1, alpha=0.5), IMAGES),
    "Threshold": (nn.Threshold(0.1, -5.0), IMAGES),
    "GLU": (nn.GLU(1), IMAGES),
    "Softmax2d": (nn.Softmax2d(), IMAGES),
    "Unflatten": (nn.Unflatten(1, (2, 2)), IMAGES),
    "ConstantPad1d": (nn.ConstantPad1d((1, 2), 0.5), ROWS),
    "ConstantPad2d": (nn.ConstantPad2d(1, 0.5), IMAGES),
    "ConstantPad3d": (nn.ConstantPad3d((1, 0, 0, 2, 1, 1), 0.5), IMAGES),
    "ZeroPad2d": (nn.ZeroPad2d((1, 0, 0, 1)), IMAGES),
    "ReflectionPad1d": (nn.ReflectionPad1d((1, 2)), ROWS),
    "ReflectionPad2d": (nn.ReflectionPad2d((1, 0, 2, 1)), IMAGES),
    "ReplicationPad1d": (nn.ReplicationPad1d(2), ROWS),
    "ReplicationPad2d": (nn.ReplicationPad2d((1, 0, 2, 1)), IMAGES),
    "ReplicationPad3d": (nn.ReplicationPad3d(1), VOLUMES),
    "ReflectionPad3d": (nn.ReflectionPad3d((1, 0, 2, 1, 0, 1)), VOLUMES),
    "AvgPool3d": (nn.AvgPool3d(2, 1, "pad", 1, count_include_pad=False), VOLUMES),
    "MaxPool3d": (nn.MaxPool3d(2, 2, "same"), VOLUMES),
    "AdaptiveAvgPool3d": (nn.AdaptiveAvgPool3d((2, None, 3)), VOLUMES),
    "AdaptiveMaxPool3d": (nn.AdaptiveMaxPool3d(2), VOLUMES),
    "CentralCrop": (nn.CentralCrop(0.5), IMAGES),
    "Norm": (nn.Norm(1), ROWS),
    "ReduceLogSumExp": (nn.ReduceLogSumExp((1, 2)), ROWS),
    "Tril": (nn.Tril(), ROWS),
    "Triu": (nn.Triu(), ROWS),
}
