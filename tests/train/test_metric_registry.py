"""Metrics by name and as objects."""

import numpy as np
import pytest

from minigraph import errors, train
from minigraph.train.metric_registry import METRICS, metrics_of


def test_metrics_by_name_and_as_objects():
    assert list(metrics_of({"loss", "accuracy"})) == ["accuracy", "loss"]
    assert type(metrics_of(["acc"])["acc"]) is train.Accuracy
    metric = train.MSE()
    assert metrics_of({"error": metric}) == {"error": metric}
    assert metrics_of(None) == {}
    with pytest.raises(errors.UnknownNameError, match="unsupported metric acuracy; did you mean 'accuracy'"):
        metrics_of(["acuracy"])
    for wrong in ("accuracy", 3, {"a": "accuracy"}):
        with pytest.raises(TypeError, match="metrics"):
            metrics_of(wrong)


def test_every_name_makes_a_metric_with_its_arguments():
    assert train.names() == sorted(METRICS)
    for name in train.names():
        arguments = {"topk": {"k": 3}, "confusion_matrix": {"num_classes": 2}}.get(name, {})
        if name != "auc":
            assert isinstance(train.get_metric_fn(name, **arguments), train.Metric)
    assert train.get_metric_fn("auc", np.arange(2), np.ones(2)) == 1
    assert train.get_metric_fn("accuracy", "multilabel").eval_type == "multilabel"
