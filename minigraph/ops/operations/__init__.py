"""MindSpore's primitives, for ``from minigraph.ops import operations as P``."""

from typing import TYPE_CHECKING

from minigraph.ops.functional.forms import exports_of as _exports_of
from minigraph.ops.operations.activation import *  # noqa: F403 - each of these modules lists its names
from minigraph.ops.operations.adaptive_pooling import *  # noqa: F403
from minigraph.ops.operations.arithmetic import *  # noqa: F403
from minigraph.ops.operations.array_padding import *  # noqa: F403
from minigraph.ops.operations.beta_function import *  # noqa: F403
from minigraph.ops.operations.bounding_boxes import *  # noqa: F403
from minigraph.ops.operations.box_selection import *  # noqa: F403
from minigraph.ops.operations.color_spaces import *  # noqa: F403
from minigraph.ops.operations.comparison import *  # noqa: F403
from minigraph.ops.operations.complex_numbers import *  # noqa: F403
from minigraph.ops.operations.control_flow import *  # noqa: F403
from minigraph.ops.operations.convolution import *  # noqa: F403
from minigraph.ops.operations.creation import *  # noqa: F403
from minigraph.ops.operations.cumulative import *  # noqa: F403
from minigraph.ops.operations.diagonals import *  # noqa: F403
from minigraph.ops.operations.effects import *  # noqa: F403
from minigraph.ops.operations.elementary import *  # noqa: F403
from minigraph.ops.operations.factorizations import *  # noqa: F403
from minigraph.ops.operations.fourier import *  # noqa: F403
from minigraph.ops.operations.function_primitives import *  # noqa: F403
from minigraph.ops.operations.function_primitives import operations_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.ops.operations.gamma_functions import *  # noqa: F403
from minigraph.ops.operations.indexing import *  # noqa: F403
from minigraph.ops.operations.interpolation import *  # noqa: F403
from minigraph.ops.operations.joining import *  # noqa: F403
from minigraph.ops.operations.linalg import *  # noqa: F403
from minigraph.ops.operations.loss import *  # noqa: F403
from minigraph.ops.operations.matrix_products import *  # noqa: F403
from minigraph.ops.operations.normalization import *  # noqa: F403
from minigraph.ops.operations.norms import *  # noqa: F403
from minigraph.ops.operations.optimizer_steps import *  # noqa: F403
from minigraph.ops.operations.parameters import *  # noqa: F403
from minigraph.ops.operations.pooling import *  # noqa: F403
from minigraph.ops.operations.random import *  # noqa: F403
from minigraph.ops.operations.rearranging import *  # noqa: F403
from minigraph.ops.operations.recurrent import *  # noqa: F403
from minigraph.ops.operations.reduction import *  # noqa: F403
from minigraph.ops.operations.resampling import *  # noqa: F403
from minigraph.ops.operations.scattering import *  # noqa: F403
from minigraph.ops.operations.sequences import *  # noqa: F403
from minigraph.ops.operations.shapes import *  # noqa: F403
from minigraph.ops.operations.signal_windows import *  # noqa: F403
from minigraph.ops.operations.sorting import *  # noqa: F403
from minigraph.ops.operations.sparse import *  # noqa: F403
from minigraph.ops.operations.sparse_optimizer_steps import *  # noqa: F403
from minigraph.ops.operations.statistics import *  # noqa: F403
from minigraph.ops.operations.summaries import *  # noqa: F403
from minigraph.ops.primitive import Primitive as Primitive

if not TYPE_CHECKING:  # type checkers read the modules
    __all__ = _exports_of(__name__)  # noqa: PLE0605 - strings
