"""``ms.parallel``: programs for several devices, on one."""

from __future__ import annotations

from typing import Any

from minigraph.core.aliases import Function, PyTree
from minigraph.core.errors import ArgValueError
from minigraph.core.module_paths import add_module_path
from minigraph.nn import Cell

__all__ = ["AutoParallel"]
MODES = ("semi_auto", "sharding_propagation", "recursive_programming")
SETTINGS = (
    "comm_fusion", "dataset_strategy", "disable_gradient_fp32_sync", "disable_loss_repeated_mean",
    "enable_fp32_communication", "enable_gradients_mean", "hsdp", "no_init_parameters_in_compile", "pipeline",
    "transformer_opt",
)  # fmt: skip


class AutoParallel(Cell):
    """The network itself: one device has nothing to divide, as in MindSpore on a CPU; settings have no effect.

    Raises ``ValueError`` for another ``parallel_mode``.

    >>> from minigraph import Tensor, nn
    >>> net = AutoParallel(nn.ReLU(), parallel_mode="semi_auto")
    >>> net.dataset_strategy("full_batch")
    >>> print(net(Tensor([-1.0, 2.0])))
    [0. 2.]
    """

    def __init__(self, network: Cell, parallel_mode: str = "semi_auto") -> None:
        super().__init__()
        if parallel_mode not in MODES:
            text = f"must be one of {list(MODES)}, but got the value : {parallel_mode}"
            raise ArgValueError(f"the argument 'parallel_mode' {text} .")
        self.network: Cell
        self.insert_child_to_cell("network", network)  # does not rename its Parameters

    def construct(self, *inputs: PyTree, **kwargs: PyTree) -> PyTree:
        """The result of the network."""
        return self.network(*inputs, **kwargs)


def _setting(name: str) -> Function:
    def set_value(self: AutoParallel, *args: Any, **kwargs: Any) -> None: ...

    set_value.__name__, set_value.__qualname__ = name, f"AutoParallel.{name}"
    set_value.__doc__ = f"Sets ``{name}``, which has no effect on one device."
    return set_value


for setting in SETTINGS:
    setattr(AutoParallel, setting, _setting(setting))
add_module_path(__name__, "auto_parallel")
