"""Data for training: pipelines of rows, and real digits to train on."""

from minigraph.dataset import config
from minigraph.dataset.digits import Digits, load_digits
from minigraph.dataset.generator import GeneratorDataset, NumpySlicesDataset
from minigraph.dataset.pipeline import Dataset
from minigraph.missing import in_dataset as __getattr__  # noqa: F401 - Python calls it

__all__ = ["Dataset", "Digits", "GeneratorDataset", "NumpySlicesDataset", "config", "load_digits"]
