"""The rows of RESULTS.md that techniques may affect, by short names: a case, and one of its contenders."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from benchmarks.cases import eager, fused, kernels, networks, pass_speed, programs, step
from benchmarks.measuring.harness import Case, Contender
from benchmarks.peers import local, remote
from benchmarks.work import workloads

EAGER, JIT, NUMBA = "minigraph eager", "minigraph jit", "minigraph jit, numba"
QUICK_SIZE = 100  # operators, or elements, of quick runs


class Row(NamedTuple):
    """A case, large or small, and the name of the contender that a technique may make faster."""

    case: Callable[[bool], Case]
    contender: str

    def contender_in(self, small: bool) -> tuple[Contender | None, str]:
        """The contender, and the row's title; ``None`` if it does not take part, because something is not installed."""
        local.PEER_FACTORIES, remote.workers_enabled = (), False
        case = self.case(small)
        contender = next((candidate for candidate in case.contenders if candidate.name == self.contender), None)
        return contender, f"{case.title}: {self.contender}"


def _sized_case(case_of: Callable[[int], Case], large: int, small: int) -> Callable[[bool], Case]:
    return lambda is_small: case_of(small if is_small else large)


CHAIN, CHAIN_GRADIENT = (
    _sized_case(eager.forward_case, eager.OPERATORS, QUICK_SIZE),
    _sized_case(eager.gradient_case, 1000, QUICK_SIZE),
)
ELEMENTWISE_GRADIENT = _sized_case(fused.gradient_case, fused.GRADIENT_ELEMENTS, 10 * QUICK_SIZE)
HEAVY_ELEMENTWISE = _sized_case(
    partial(fused.forward_case, fused.transcendental, "elementwise"), fused.ELEMENTS, 10 * QUICK_SIZE
)
LIGHT_ELEMENTWISE = _sized_case(partial(fused.forward_case, workloads.light, "light"), fused.ELEMENTS, 10 * QUICK_SIZE)

ROWS: dict[str, Row] = {
    "chain, eager": Row(CHAIN, EAGER),
    "chain, eager gradient": Row(CHAIN_GRADIENT, EAGER),
    **{f"eager {name}": Row(partial(lambda name, small: eager.operator_case(name), name), EAGER)
       for name in ("add", "exp", "sum", "matmul", "reshape", "index")},
    "chain": Row(CHAIN, JIT),
    "chain, gradient": Row(CHAIN_GRADIENT, JIT),
    "chain, numba": Row(CHAIN, NUMBA),
    "chain, gradient, numba": Row(CHAIN_GRADIENT, NUMBA),
    "short call": Row(lambda small: eager.call_case(), JIT),
    "first call": Row(_sized_case(pass_speed.first_call_case, 200, 20), JIT),
    **{f"loop {n}": Row(_sized_case(partial(kernels.loop_case, n), kernels.CHAIN_STEPS, 3), JIT)
       for n in (16, 64, 256)},
    "loop 64, gradient": Row(programs.loop_case, JIT),
    "elementwise, 1M": Row(_sized_case(kernels.elementwise_case, kernels.ELEMENTS, 10 * QUICK_SIZE), JIT),
    "elementwise, 1M, gradient": Row(ELEMENTWISE_GRADIENT, JIT),
    "elementwise, 16M": Row(HEAVY_ELEMENTWISE, JIT),
    "elementwise, 16M, numba": Row(HEAVY_ELEMENTWISE, NUMBA),
    "light, 16M": Row(LIGHT_ELEMENTWISE, JIT),
    "light, 16M, numba": Row(LIGHT_ELEMENTWISE, NUMBA),
    **{f"{name}, {direction}": Row(partial(case_of, name), JIT)
       for name in ("mlp", "attention", "gru")
       for direction, case_of in (("forward", programs.forward_case), ("gradient", programs.gradient_case))},
    "mlp, eager gradient": Row(partial(programs.gradient_case, "mlp"), EAGER),
    "hessian": Row(programs.hessian_case, JIT),
    "perceptron, forward": Row(partial(networks.forward_case, "mlp"), JIT),
    "perceptron, step": Row(partial(networks.step_case, "mlp"), JIT),
    "LeNet, forward": Row(partial(networks.forward_case, "lenet"), JIT),
    "LeNet, step": Row(partial(networks.step_case, "lenet"), JIT),
    "LeNet, eager step": Row(partial(networks.step_case, "lenet"), EAGER),
    "transformer, forward": Row(partial(networks.forward_case, "vit"), JIT),
    "transformer, step": Row(partial(networks.step_case, "vit"), JIT),
    "transformer, step, slices sunk": Row(partial(networks.step_case, "vit"), networks.JIT_SUNK_SLICES),
    "digits, step": Row(lambda small: step.case(), JIT),
    "digits, eager step": Row(lambda small: step.case(), EAGER),
}  # fmt: skip
