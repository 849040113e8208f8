"""The operators under MindSpore's names."""

from minigraph.ops import compare, create, effects, elementwise, indexing, linalg, nn, reduce, shape

__all__ = ["compare", "create", "effects", "elementwise", "indexing", "linalg", "nn", "reduce", "shape"]
