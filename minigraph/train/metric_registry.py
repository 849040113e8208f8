"""Metrics by name, for ``Model``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from minigraph.core.errors import ArgTypeError, UnknownNameError, did_you_mean
from minigraph.train.classification_metrics import (
    F1,
    Precision,
    Recall,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
)
from minigraph.train.confusion_matrix import ConfusionMatrix, ConfusionMatrixMetric
from minigraph.train.curves import ROC, auc
from minigraph.train.metrics import MAE, MSE, Accuracy, Loss, Metric
from minigraph.train.occlusion import OcclusionSensitivity
from minigraph.train.segmentation_metrics import Dice, HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance
from minigraph.train.text_metrics import BleuScore, CosineSimilarity, Perplexity

METRICS: dict[str, Callable[..., Any]] = {
    "accuracy": Accuracy,
    "acc": Accuracy,
    "F1": F1,
    "loss": Loss,
    "mae": MAE,
    "mse": MSE,
    "precision": Precision,
    "recall": Recall,
    "top_1_accuracy": Top1CategoricalAccuracy,
    "top_5_accuracy": Top5CategoricalAccuracy,
    "topk": TopKCategoricalAccuracy,
    "auc": auc,
    "bleu_score": BleuScore,
    "confusion_matrix": ConfusionMatrix,
    "confusion_matrix_metric": ConfusionMatrixMetric,
    "cosine_similarity": CosineSimilarity,
    "dice": Dice,
    "hausdorff_distance": HausdorffDistance,
    "mean_surface_distance": MeanSurfaceDistance,
    "occlusion_sensitivity": OcclusionSensitivity,
    "perplexity": Perplexity,
    "roc": ROC,
    "root_mean_square_distance": RootMeanSquareDistance,
}


def names() -> list[str]:
    """The names of all metrics.

    >>> names()[:3]
    ['F1', 'acc', 'accuracy']
    """
    return sorted(METRICS)


def get_metric_fn(name: str, *args: object, **kwargs: object) -> Any:
    """The metric of a name, created with further arguments; raises ``UnknownNameError`` with the nearest name.

    >>> get_metric_fn("topk", k=3).k
    3
    """
    if name not in METRICS:
        raise UnknownNameError(f"For 'get_metric_fn', unsupported metric {name}{did_you_mean(name, METRICS)}")
    return METRICS[name](*args, **kwargs)


def get_metrics(metrics: object) -> dict[str, Metric] | None:
    """Metrics by name, from a dict of them or from a set or list of names; ``None`` for ``None``.

    >>> sorted(get_metrics({"loss", "accuracy"}))
    ['accuracy', 'loss']
    """
    return None if metrics is None else metrics_of(metrics)


def metrics_of(metrics: object) -> dict[str, Metric]:
    """Metrics by name, from a dict of them or from a set or list of names.

    Raises ``UnknownNameError`` with the nearest name, ``TypeError`` for other types.

    >>> list(metrics_of(["loss", "accuracy"]))
    ['loss', 'accuracy']
    """
    if metrics is None:
        return {}
    if isinstance(metrics, Mapping):
        invalid = [name for name, metric in metrics.items() if not isinstance(metric, Metric)]
        if invalid:
            raise ArgTypeError(f"metrics: '{invalid[0]}' is a {type(metrics[invalid[0]]).__name__}, not a Metric")
        return dict(metrics)
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        raise ArgTypeError(f"For 'get_metrics', the argument 'metrics' must be None, dict or set, but got {metrics}")
    return {name: get_metric_fn(name) for name in (sorted(metrics) if isinstance(metrics, set) else metrics)}
