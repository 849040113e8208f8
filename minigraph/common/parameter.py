"""Parameters under MindSpore's path.

>>> from minigraph.common.parameter import Parameter
"""

from minigraph.core.tensor import Parameter, ParameterTuple

__all__ = ["Parameter", "ParameterTuple"]
