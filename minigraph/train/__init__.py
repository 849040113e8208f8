"""Training: Cells for one step, the Model with its loops, callbacks and metrics."""

from minigraph.core.missing_names import train_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.nn.wrap.evaluation import WithEvalCell
from minigraph.nn.wrap.training import TrainOneStepCell, WithLossCell
from minigraph.serialize import load_checkpoint, load_param_into_net, save_checkpoint
from minigraph.train.callback import (
    Callback,
    CheckpointConfig,
    EarlyStopping,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    ModelCheckpoint,
    ReduceLROnPlateau,
    RunContext,
    TimeMonitor,
)
from minigraph.train.classification_metrics import (
    F1,
    Fbeta,
    Precision,
    Recall,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
)
from minigraph.train.data_parallel import DataParallel, processes
from minigraph.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
from minigraph.train.metric_registry import get_metric_fn, names
from minigraph.train.metrics import MAE, MSE, Accuracy, Loss, Metric
from minigraph.train.model import Model

__all__ = [
    "F1", "MAE", "MSE", "Accuracy", "Callback", "CheckpointConfig", "DataParallel",
    "DynamicLossScaleManager", "EarlyStopping", "Fbeta", "FixedLossScaleManager", "History",
    "LambdaCallback", "LearningRateScheduler", "Loss", "LossMonitor",
    "LossScaleManager", "Metric", "Model", "ModelCheckpoint", "Precision",
    "Recall", "ReduceLROnPlateau", "RunContext", "TimeMonitor", "Top1CategoricalAccuracy", "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy", "TrainOneStepCell", "WithEvalCell", "WithLossCell", "get_metric_fn", "load_checkpoint",
    "load_param_into_net", "names", "processes", "save_checkpoint",
]  # fmt: skip
