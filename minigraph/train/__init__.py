"""Training loops: the Cells that make one step, and the Model that makes many."""

from minigraph.missing import in_train as __getattr__  # noqa: F401 - Python calls it
from minigraph.nn.wrap import TrainOneStepCell, WithLossCell
from minigraph.nn.wrap_eval import WithEvalCell
from minigraph.train.callback import Callback, LossMonitor, RunContext, TimeMonitor
from minigraph.train.metrics import MAE, MSE, Accuracy, Loss, Metric
from minigraph.train.model import Model

__all__ = [
    "MAE",
    "MSE",
    "Accuracy",
    "Callback",
    "Loss",
    "LossMonitor",
    "Metric",
    "Model",
    "RunContext",
    "TimeMonitor",
    "TrainOneStepCell",
    "WithEvalCell",
    "WithLossCell",
]
