"""Loss functions as Cells."""

from minigraph.nn.loss.likelihood import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    CTCLoss,
    GaussianNLLLoss,
    KLDivLoss,
    NLLLoss,
    PoissonNLLLoss,
    SoftmaxCrossEntropyWithLogits,
)
from minigraph.nn.loss.loss import HuberLoss, L1Loss, LossBase, MAELoss, MSELoss, RMSELoss, SmoothL1Loss
from minigraph.nn.loss.margin import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    MultilabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    SoftMarginLoss,
    TripletMarginLoss,
)
from minigraph.nn.loss.overlap import DiceLoss, FocalLoss, MultiClassDiceLoss
from minigraph.nn.loss.sampled import SampledSoftmaxLoss

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "DiceLoss", "FocalLoss",
    "GaussianNLLLoss", "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "LossBase", "MAELoss", "MSELoss",
    "MarginRankingLoss", "MultiClassDiceLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss",
    "MultilabelMarginLoss", "NLLLoss", "PoissonNLLLoss", "RMSELoss", "SampledSoftmaxLoss", "SmoothL1Loss",
    "SoftMarginLoss", "SoftmaxCrossEntropyWithLogits", "TripletMarginLoss",
]  # fmt: skip
