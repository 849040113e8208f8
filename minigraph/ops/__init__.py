"""The operators under MindSpore's names: functions, and primitives such as ``ops.MatMul()``."""

from minigraph.core.autodiff.grad import grad as grad
from minigraph.core.autodiff.grad import value_and_grad as value_and_grad
from minigraph.core.autodiff.grad_operation import get_grad as get_grad
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
from minigraph.ops.functional import *  # noqa: F403 - the names of its chapters
from minigraph.ops.methods import attach as attach
from minigraph.ops.operations import *  # noqa: F403
from minigraph.ops.operations.function_primitives import ops_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.ops.primitive import *  # noqa: F403
from minigraph.ops.sparse_functions import *  # noqa: F403
from minigraph.ops.sparse_tensors import *  # noqa: F403
