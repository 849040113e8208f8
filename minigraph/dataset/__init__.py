"""Datasets for training: pipelines of rows, and handwritten digits."""

from minigraph.core.missing_names import dataset_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.dataset import config, transforms, vision
from minigraph.dataset.digits import Digits, load_digits
from minigraph.dataset.generator import GeneratorDataset, NumpySlicesDataset
from minigraph.dataset.image_files import (
    Cifar10Dataset,
    Cifar100Dataset,
    FashionMnistDataset,
    KMnistDataset,
    MnistDataset,
)
from minigraph.dataset.pipeline import Dataset
from minigraph.dataset.pipeline import zip_datasets as zip
from minigraph.dataset.samplers import (
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)
from minigraph.dataset.stages import BatchInfo

__all__ = [
    "BatchInfo",
    "Cifar10Dataset",
    "Cifar100Dataset",
    "Dataset",
    "Digits",
    "DistributedSampler",
    "FashionMnistDataset",
    "GeneratorDataset",
    "KMnistDataset",
    "MnistDataset",
    "NumpySlicesDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "SubsetSampler",
    "WeightedRandomSampler",
    "config",
    "load_digits",
    "transforms",
    "vision",
    "zip",
]  # fmt: skip
