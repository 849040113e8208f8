"""``mindspore.mint.special``: special functions."""

from minigraph.mint.nn.functional import log_softmax as log_softmax
from minigraph.ops import erfc as erfc
from minigraph.ops import exp2 as exp2
from minigraph.ops import expm1 as expm1
from minigraph.ops import log1p as log1p
from minigraph.ops import round as round
from minigraph.ops import sinc as sinc

__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]
