"""Wrappers around a network: with its loss, with a training step, for evaluation."""

from minigraph.nn.wrap.evaluation import WithEvalCell
from minigraph.nn.wrap.training import TrainOneStepCell, WithLossCell

__all__ = ["TrainOneStepCell", "WithEvalCell", "WithLossCell"]
