"""MindRecord files: rows of numbers, texts, bytes and arrays in MindSpore's format, read and written."""

from minigraph.core.missing_names import mindrecord_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.mindrecord.cifar import Cifar10ToMR
from minigraph.mindrecord.filereader import FileReader
from minigraph.mindrecord.filewriter import FileWriter
from minigraph.mindrecord.mindpage import MindPage

__all__ = ["Cifar10ToMR", "FileReader", "FileWriter", "MindPage"]
