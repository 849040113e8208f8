"""The operators under MindSpore's names: functions, and primitives such as ``ops.MatMul()``."""

from minigraph.core.autodiff.grad import grad as grad
from minigraph.core.autodiff.grad import value_and_grad as value_and_grad
from minigraph.core.autodiff.grad_operation import get_grad as get_grad
from minigraph.core.missing_names import ops_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.core.op import apply as apply
from minigraph.operators.control import *  # noqa: F403
from minigraph.operators.custom_gradient import CUSTOM_GRADIENT as CUSTOM_GRADIENT
from minigraph.operators.fractal_nz import TO_ND as TO_ND
from minigraph.operators.fractal_nz import TO_NZ as TO_NZ
from minigraph.operators.registry import get_vm_impl_fn as get_vm_impl_fn
from minigraph.operators.registry import vm_impl_registry as vm_impl_registry
from minigraph.operators.scatter import SCATTER_SUM as SCATTER_SUM
from minigraph.operators.set_item import SET_ITEM as SET_ITEM
from minigraph.ops.composite import *  # noqa: F403
from minigraph.ops.custom import *  # noqa: F403
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
from minigraph.ops.functional.diagonals import *  # noqa: F403
from minigraph.ops.functional.dtypes import *  # noqa: F403
from minigraph.ops.functional.effects import *  # noqa: F403
from minigraph.ops.functional.elementary import *  # noqa: F403
from minigraph.ops.functional.factorizations import *  # noqa: F403
from minigraph.ops.functional.floating_point import *  # noqa: F403
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
from minigraph.ops.methods import attach as attach
from minigraph.ops.operations.activation import *  # noqa: F403
from minigraph.ops.operations.adaptive_pooling import *  # noqa: F403
from minigraph.ops.operations.arithmetic import *  # noqa: F403
from minigraph.ops.operations.array_padding import *  # noqa: F403
from minigraph.ops.operations.bessel_functions import *  # noqa: F403
from minigraph.ops.operations.bounding_boxes import *  # noqa: F403
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
from minigraph.ops.operations.reduction import *  # noqa: F403
from minigraph.ops.operations.scattering import *  # noqa: F403
from minigraph.ops.operations.shapes import *  # noqa: F403
from minigraph.ops.operations.signal_windows import *  # noqa: F403
from minigraph.ops.operations.sorting import *  # noqa: F403
from minigraph.ops.operations.statistics import *  # noqa: F403
from minigraph.ops.primitive import *  # noqa: F403
from minigraph.ops.sparse_functions import *  # noqa: F403
from minigraph.ops.sparse_tensors import *  # noqa: F403
