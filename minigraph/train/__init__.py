"""Training: Cells for one step, the Model with its loops, callbacks and metrics."""

from minigraph.core.missing_names import train_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.importers.onnx.mindspore_files import export, load
from minigraph.nn.wrap.evaluation import WithEvalCell
from minigraph.nn.wrap.training import TrainOneStepCell, WithLossCell
from minigraph.serialize import (
    async_ckpt_thread_status,
    ckpt_to_safetensors,
    load_checkpoint,
    load_checkpoint_async,
    load_param_into_net,
    safetensors_to_ckpt,
    save_checkpoint,
)
from minigraph.train.amp import (
    AmpLevel,
    amp_cast,
    auto_mixed_precision,
    build_train_network,
    custom_mixed_precision,
    get_black_list,
    get_white_list,
)
from minigraph.train.callback import (
    BackupAndRestore,
    Callback,
    CheckpointConfig,
    EarlyStopping,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    ModelCheckpoint,
    OnRequestExit,
    ReduceLROnPlateau,
    RunContext,
    SummaryCollector,
    SummaryRecord,
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
from minigraph.train.dataset_helper import DatasetHelper
from minigraph.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
from minigraph.train.metric_registry import get_metric_fn, get_metrics, names
from minigraph.train.metrics import MAE, MSE, Accuracy, Loss, Metric, rearrange_inputs
from minigraph.train.model import Model
from minigraph.train.occlusion import OcclusionSensitivity
from minigraph.train.segmentation_metrics import Dice, HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance
from minigraph.train.sliced_parameters import ConvertModelUtils, merge_sliced_parameter
from minigraph.train.text_metrics import BleuScore, CosineSimilarity, Perplexity

__all__ = [
    "F1", "MAE", "MSE", "ROC", "Accuracy", "AmpLevel", "BackupAndRestore", "BleuScore", "Callback",
    "CheckpointConfig", "ConfusionMatrix", "ConfusionMatrixMetric", "ConvertModelUtils", "CosineSimilarity",
    "DataParallel", "DatasetHelper", "Dice", "DynamicLossScaleManager", "EarlyStopping", "Fbeta",
    "FixedLossScaleManager", "HausdorffDistance", "History", "LambdaCallback", "LearningRateScheduler", "Loss",
    "LossMonitor", "LossScaleManager", "MeanSurfaceDistance", "Metric", "Model", "ModelCheckpoint",
    "OcclusionSensitivity", "OnRequestExit", "Perplexity", "Precision", "Recall", "ReduceLROnPlateau",
    "RootMeanSquareDistance", "RunContext", "SummaryCollector", "SummaryRecord", "TimeMonitor",
    "Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy", "TrainOneStepCell",
    "WithEvalCell", "WithLossCell", "amp_cast", "async_ckpt_thread_status", "auc", "auto_mixed_precision",
    "build_train_network", "ckpt_to_safetensors", "custom_mixed_precision", "export", "get_black_list",
    "get_metric_fn", "get_metrics", "get_white_list", "load", "load_checkpoint", "load_checkpoint_async",
    "load_param_into_net", "merge_sliced_parameter", "names", "processes", "rearrange_inputs", "safetensors_to_ckpt",
    "save_checkpoint",
]  # fmt: skip
