"""Datasets for training: pipelines of rows, and handwritten digits."""

from minigraph.core.missing_names import dataset_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.dataset import audio, config, debug, text, transforms, vision
from minigraph.dataset import module_paths as module_paths
from minigraph.dataset.callbacks import DSCallback
from minigraph.dataset.digits import Digits, load_digits
from minigraph.dataset.generator import GeneratorDataset, NumpySlicesDataset, PaddedDataset
from minigraph.dataset.pipeline import Dataset
from minigraph.dataset.pipeline import zip_datasets as zip
from minigraph.dataset.readers.annotated_corpora import CoNLL2000Dataset, Multi30kDataset, SQuADDataset, UDPOSDataset
from minigraph.dataset.readers.annotated_images import ManifestDataset, VOCDataset
from minigraph.dataset.readers.clue_files import CLUEDataset
from minigraph.dataset.readers.coco_files import CocoDataset
from minigraph.dataset.readers.csv_files import CSVDataset
from minigraph.dataset.readers.digit_files import EMnistDataset, QMnistDataset, SemeionDataset, USPSDataset
from minigraph.dataset.readers.image_files import (
    Cifar10Dataset,
    Cifar100Dataset,
    FashionMnistDataset,
    KMnistDataset,
    MnistDataset,
    STL10Dataset,
)
from minigraph.dataset.readers.image_folders import Caltech256Dataset, RenderedSST2Dataset, SUN397Dataset
from minigraph.dataset.readers.labelled_folders import ImageFolderDataset, IMDBDataset
from minigraph.dataset.readers.reader_arguments import Shuffle
from minigraph.dataset.readers.record_files import MindDataset
from minigraph.dataset.readers.schema import Schema
from minigraph.dataset.readers.tensor_records import TFRecordDataset
from minigraph.dataset.readers.text_corpora import (
    AGNewsDataset,
    AmazonReviewDataset,
    DBpediaDataset,
    EnWik9Dataset,
    PennTreebankDataset,
    SogouNewsDataset,
    SST2Dataset,
    WikiTextDataset,
    YahooAnswersDataset,
    YelpReviewDataset,
)
from minigraph.dataset.readers.text_files import TextFileDataset
from minigraph.dataset.samplers import (
    DistributedSampler,
    PKSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)
from minigraph.dataset.stages import BatchInfo

__all__ = [
    "AGNewsDataset",
    "AmazonReviewDataset",
    "BatchInfo",
    "CLUEDataset",
    "CSVDataset",
    "Caltech256Dataset",
    "Cifar10Dataset",
    "Cifar100Dataset",
    "CoNLL2000Dataset",
    "CocoDataset",
    "DBpediaDataset",
    "DSCallback",
    "Dataset",
    "Digits",
    "DistributedSampler",
    "EMnistDataset",
    "EnWik9Dataset",
    "FashionMnistDataset",
    "GeneratorDataset",
    "IMDBDataset",
    "ImageFolderDataset",
    "KMnistDataset",
    "ManifestDataset",
    "MindDataset",
    "MnistDataset",
    "Multi30kDataset",
    "NumpySlicesDataset",
    "PKSampler",
    "PaddedDataset",
    "PennTreebankDataset",
    "QMnistDataset",
    "RandomSampler",
    "RenderedSST2Dataset",
    "SQuADDataset",
    "SST2Dataset",
    "STL10Dataset",
    "SUN397Dataset",
    "Sampler",
    "Schema",
    "SemeionDataset",
    "SequentialSampler",
    "Shuffle",
    "SogouNewsDataset",
    "SubsetRandomSampler",
    "SubsetSampler",
    "TFRecordDataset",
    "TextFileDataset",
    "UDPOSDataset",
    "USPSDataset",
    "VOCDataset",
    "WeightedRandomSampler",
    "WikiTextDataset",
    "YahooAnswersDataset",
    "YelpReviewDataset",
    "audio",
    "config",
    "debug",
    "load_digits",
    "text",
    "transforms",
    "vision",
    "zip",
]  # fmt: skip
