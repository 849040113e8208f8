"""The operators under MindSpore's names: functions, and primitives such as ``ops.MatMul()``."""

from minigraph.core.autodiff.grad import grad as grad
from minigraph.core.autodiff.grad import value_and_grad as value_and_grad
from minigraph.core.missing import in_ops as __getattr__  # noqa: F401 - Python calls it
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
from minigraph.ops.functional.activations import *  # noqa: F403 - each of these modules lists its names
from minigraph.ops.functional.array import *  # noqa: F403
from minigraph.ops.functional.attention import *  # noqa: F403
from minigraph.ops.functional.bands import *  # noqa: F403
from minigraph.ops.functional.boxes import *  # noqa: F403
from minigraph.ops.functional.convolutions import *  # noqa: F403
from minigraph.ops.functional.elementary import *  # noqa: F403
from minigraph.ops.functional.factors import *  # noqa: F403
from minigraph.ops.functional.jacobians import *  # noqa: F403
from minigraph.ops.functional.linalg import *  # noqa: F403
from minigraph.ops.functional.losses import *  # noqa: F403
from minigraph.ops.functional.making import *  # noqa: F403
from minigraph.ops.functional.margins import *  # noqa: F403
from minigraph.ops.functional.math import *  # noqa: F403
from minigraph.ops.functional.matrices import *  # noqa: F403
from minigraph.ops.functional.nn import *  # noqa: F403
from minigraph.ops.functional.normalizing import *  # noqa: F403
from minigraph.ops.functional.norms import *  # noqa: F403
from minigraph.ops.functional.ordering import *  # noqa: F403
from minigraph.ops.functional.pieces import *  # noqa: F403
from minigraph.ops.functional.plain import *  # noqa: F403
from minigraph.ops.functional.pooling import *  # noqa: F403
from minigraph.ops.functional.pooling_to_size import *  # noqa: F403
from minigraph.ops.functional.positions import *  # noqa: F403
from minigraph.ops.functional.random import *  # noqa: F403
from minigraph.ops.functional.rearrange import *  # noqa: F403
from minigraph.ops.functional.reductions import *  # noqa: F403
from minigraph.ops.functional.resizing import *  # noqa: F403
from minigraph.ops.functional.scattering import *  # noqa: F403
from minigraph.ops.functional.sequences import *  # noqa: F403
from minigraph.ops.functional.state import *  # noqa: F403
from minigraph.ops.methods import attach as attach
from minigraph.ops.operations.array import *  # noqa: F403
from minigraph.ops.operations.elementary import *  # noqa: F403
from minigraph.ops.operations.images import *  # noqa: F403
from minigraph.ops.operations.math import *  # noqa: F403
from minigraph.ops.operations.networks import *  # noqa: F403
from minigraph.ops.operations.nn import *  # noqa: F403
from minigraph.ops.operations.places import *  # noqa: F403
from minigraph.ops.operations.state import *  # noqa: F403
from minigraph.ops.primitive import *  # noqa: F403
