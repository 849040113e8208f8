"""Training: Cells for one step, the Model with its loops, callbacks and metrics."""

from minigraph.core.missing_names import train_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.nn.wrap.evaluation import WithEvalCell
from minigraph.nn.wrap.training import TrainOneStepCell, WithLossCell
from minigraph.serialize import load_checkpoint, load_param_into_net, save_checkpoint
from minigraph.train.amp import (
    auto_mixed_precision,
    build_train_network,
    custom_mixed_precision,
    get_black_list,
    get_white_list,
)
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
from minigraph.train.confusion_matrix import ConfusionMatrix, ConfusionMatrixMetric
from minigraph.train.curves import ROC, auc
from minigraph.train.data_parallel import DataParallel, processes
from minigraph.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
from minigraph.train.metric_registry import get_metric_fn, names
from minigraph.train.metrics import MAE, MSE, Accuracy, Loss, Metric
from minigraph.train.model import Model
from minigraph.train.segmentation_metrics import Dice, HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance
from minigraph.train.text_metrics import BleuScore, CosineSimilarity, Perplexity

__all__ = [
    "F1", "MAE", "MSE", "ROC", "Accuracy", "BleuScore", "Callback", "CheckpointConfig", "ConfusionMatrix",
    "ConfusionMatrixMetric", "CosineSimilarity", "DataParallel", "Dice", "DynamicLossScaleManager",
    "EarlyStopping", "Fbeta", "FixedLossScaleManager", "HausdorffDistance", "History", "LambdaCallback",
    "LearningRateScheduler", "Loss", "LossMonitor", "LossScaleManager", "MeanSurfaceDistance", "Metric", "Model",
    "ModelCheckpoint", "Perplexity", "Precision", "Recall", "ReduceLROnPlateau", "RootMeanSquareDistance",
    "RunContext", "TimeMonitor", "Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy",
    "TrainOneStepCell", "WithEvalCell", "WithLossCell", "auc", "auto_mixed_precision", "build_train_network",
    "custom_mixed_precision", "get_black_list", "get_metric_fn", "get_white_list", "load_checkpoint",
    "load_param_into_net", "names", "processes", "save_checkpoint",
]  # fmt: skip
