"""Callbacks: code that runs at the steps and epochs of training."""

from minigraph.train.callback.backup import BackupAndRestore
from minigraph.train.callback.base import Callback, RunContext
from minigraph.train.callback.checkpoint import CheckpointConfig, ModelCheckpoint
from minigraph.train.callback.monitors import History, LambdaCallback, LossMonitor, TimeMonitor
from minigraph.train.callback.on_request_exit import OnRequestExit
from minigraph.train.callback.plateau import EarlyStopping, LearningRateScheduler, ReduceLROnPlateau
from minigraph.train.callback.summary import SummaryCollector, SummaryRecord

__all__ = [
    "BackupAndRestore", "Callback", "CheckpointConfig", "EarlyStopping", "History", "LambdaCallback",
    "LearningRateScheduler", "LossMonitor", "ModelCheckpoint", "OnRequestExit", "ReduceLROnPlateau", "RunContext",
    "SummaryCollector", "SummaryRecord", "TimeMonitor",
]  # fmt: skip
