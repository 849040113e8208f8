"""Functions with MindSpore's names and signatures; each is one or a few calls of operators."""

from typing import TYPE_CHECKING

from minigraph.core.autodiff.grad import grad as grad
from minigraph.core.autodiff.grad import value_and_grad as value_and_grad
from minigraph.core.missing_names import functional_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.ops.functional.activation import *  # noqa: F403 - each of these modules lists its names
from minigraph.ops.functional.adaptive_pooling import *  # noqa: F403
from minigraph.ops.functional.arithmetic import *  # noqa: F403
from minigraph.ops.functional.array_padding import *  # noqa: F403
from minigraph.ops.functional.attention import *  # noqa: F403
from minigraph.ops.functional.batching import *  # noqa: F403
from minigraph.ops.functional.bessel_functions import *  # noqa: F403
from minigraph.ops.functional.bounding_boxes import *  # noqa: F403
from minigraph.ops.functional.comparison import *  # noqa: F403
from minigraph.ops.functional.complex_numbers import *  # noqa: F403
from minigraph.ops.functional.convolution import *  # noqa: F403
from minigraph.ops.functional.creation import *  # noqa: F403
from minigraph.ops.functional.ctc import *  # noqa: F403
from minigraph.ops.functional.cumulative import *  # noqa: F403
from minigraph.ops.functional.deformable_convolution import *  # noqa: F403
from minigraph.ops.functional.diagonals import *  # noqa: F403
from minigraph.ops.functional.dtypes import *  # noqa: F403
from minigraph.ops.functional.effects import *  # noqa: F403
from minigraph.ops.functional.elementary import *  # noqa: F403
from minigraph.ops.functional.factorizations import *  # noqa: F403
from minigraph.ops.functional.floating_point import *  # noqa: F403
from minigraph.ops.functional.forms import exports_of as _exports_of
from minigraph.ops.functional.fourier import *  # noqa: F403
from minigraph.ops.functional.fractional_pooling import *  # noqa: F403
from minigraph.ops.functional.gamma_functions import *  # noqa: F403
from minigraph.ops.functional.indexing import *  # noqa: F403
from minigraph.ops.functional.interpolation import *  # noqa: F403
from minigraph.ops.functional.jacobians import *  # noqa: F403
from minigraph.ops.functional.joining import *  # noqa: F403
from minigraph.ops.functional.linalg import *  # noqa: F403
from minigraph.ops.functional.loss import *  # noqa: F403
from minigraph.ops.functional.margin_loss import *  # noqa: F403
from minigraph.ops.functional.matrix_products import *  # noqa: F403
from minigraph.ops.functional.normalization import *  # noqa: F403
from minigraph.ops.functional.norms import *  # noqa: F403
from minigraph.ops.functional.parameters import *  # noqa: F403
from minigraph.ops.functional.pooling import *  # noqa: F403
from minigraph.ops.functional.random import *  # noqa: F403
from minigraph.ops.functional.random_distributions import *  # noqa: F403
from minigraph.ops.functional.rearranging import *  # noqa: F403
from minigraph.ops.functional.reduction import *  # noqa: F403
from minigraph.ops.functional.scalars import *  # noqa: F403
from minigraph.ops.functional.scattering import *  # noqa: F403
from minigraph.ops.functional.shapes import *  # noqa: F403
from minigraph.ops.functional.signal_windows import *  # noqa: F403
from minigraph.ops.functional.sorting import *  # noqa: F403
from minigraph.ops.functional.statistics import *  # noqa: F403
from minigraph.ops.functional.unpooling import *  # noqa: F403

if not TYPE_CHECKING:  # type checkers read the modules
    __all__ = _exports_of(__name__)  # noqa: PLE0605 - strings
