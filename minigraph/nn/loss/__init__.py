"""Losses: Cells that say how far outputs are from what was wanted."""

from minigraph.nn.loss.distance import HuberLoss, SmoothL1Loss
from minigraph.nn.loss.likelihood import BCELoss, BCEWithLogitsLoss, KLDivLoss, NLLLoss
from minigraph.nn.loss.loss import CrossEntropyLoss, L1Loss, LossBase, MSELoss
from minigraph.nn.loss.margins import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MAELoss,
    MarginRankingLoss,
    PoissonNLLLoss,
    RMSELoss,
    SoftmaxCrossEntropyWithLogits,
)
from minigraph.nn.loss.of_functions import (
    CTCLoss,
    GaussianNLLLoss,
    MultilabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    SoftMarginLoss,
    TripletMarginLoss,
)

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "LossBase",
    "MAELoss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "MultilabelMarginLoss",
    "NLLLoss",
    "PoissonNLLLoss",
    "RMSELoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "SoftmaxCrossEntropyWithLogits",
    "TripletMarginLoss",
]
