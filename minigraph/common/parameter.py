"""Parameters under MindSpore's path.

>>> from minigraph.common.parameter import Parameter
"""

from minigraph.core.tensor.fast_path import Parameter, ParameterTuple

__all__ = ["Parameter", "ParameterTuple"]
