"""Gradients and kernels registered by users: for their own primitives and for minigraph's."""

import pytest

from minigraph import Tensor, errors, grad, jit, ops
from minigraph.core.op import TABLE
from minigraph.operators.registry import Registry, bprop_getters, get_vm_impl_fn, vm_impl_registry
from minigraph.ops.primitive import FunctionPrimitive
from tests.tables import error_cases, every

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
REPLACEABLE = [
    value
    for value in vars(ops).values()
    if isinstance(value, type) and issubclass(value, FunctionPrimitive) and value.record
]


@pytest.fixture
def tenfold():
    @bprop_getters.register(ops.Mul)
    def getter(self):
        assert self.name == "Mul"
        return lambda x, y, out, dout: (10 * y * dout, 100 * x * dout)

    yield
    bprop_getters.unregister(ops.Mul)


@every(multiply=[lambda x, y: x * y, ops.mul, ops.Mul(), lambda x, y: jit(ops.mul)(x, y)])
def test_a_gradient_for_a_primitive_of_minigraph_is_used_for_all_names_and_modes(tenfold, wrapped, multiply):
    gradients = wrapped(grad(lambda x, y: multiply(x, y), (0, 1)))(X, Y)
    assert [g.tolist() for g in gradients] == [[30.0, 40.0], [100.0, 200.0]]
    # broadcasting is undone for it
    assert grad(lambda x: multiply(x, Tensor([[1.0], [2.0]])))(X).tolist() == [30.0, 30.0]


def test_a_compiled_gradient_is_compiled_again_when_another_is_registered(request):
    gradient = jit(grad(ops.mul))
    assert gradient(X, Y).tolist() == [3.0, 4.0]
    request.getfixturevalue("tenfold")
    assert gradient(X, Y).tolist() == [30.0, 40.0]
    bprop_getters.unregister(ops.Mul)
    assert gradient(X, Y).tolist() == [3.0, 4.0]
    assert gradient.cache_info().reasons[1].startswith("'bprop_getters or vm_impl_registry' changed")


def test_the_old_gradient_is_restored():
    before = TABLE["mul"].vjp
    for factor in (2, 3):
        bprop_getters.register(ops.Mul)(lambda self, k=factor: lambda x, y, out, dout: (dout * k, dout * k))
        assert grad(ops.mul)(X, Y).tolist() == [factor, factor]
    bprop_getters.unregister(ops.Mul)
    assert TABLE["mul"].vjp is before
    assert ops.Mul not in bprop_getters
    bprop_getters.unregister(ops.Mul)


@pytest.mark.parametrize("primitive_class", REPLACEABLE)
def test_only_primitives_of_tensors_can_be_replaced(primitive_class):
    assert not primitive_class.record.attributes
    assert primitive_class.record.arity is None or primitive_class.record.arity > 0


test_what_cannot_be_replaced_is_refused = error_cases(
    (ops.ReduceSum, errors.UsageError, r"bprop_getters\.register: 'ReduceSum' takes more than .*; give a Cell"),
    (ops.Mul(), TypeError, r"expected a class of primitives or a name, got Prim\[Mul\] in .*; leave its"),
    by=bprop_getters.register,
)


class Mine(ops.Primitive):
    """A user-defined primitive."""


class Special(Mine):
    """A subclass."""


def test_registries_look_up_the_class_then_the_name():
    # a registry looks for the class then for the name
    registry = Registry()
    registry.register("Mine")(lambda self: "by name")
    assert registry.get(Mine())(None) == registry.get("Mine")(None) == "by name"
    registry.register(Mine)(lambda self: "by class")
    assert (registry.get(Special())(None), registry.get("Other", 3)) == ("by class", 3)
    # kernels are registered the same way
    assert get_vm_impl_fn(Special()) is None
    vm_impl_registry.register(Special)(lambda self: lambda x: -x.asnumpy())
    assert Special()(X).tolist() == [-1.0, -2.0]


def test_a_getter_is_called_when_the_gradient_is_first_needed():
    @bprop_getters.register(ops.Mul)
    def getter(self):
        return lambda x, y, out, dout: (dout * defined_later, dout)

    assert (X * Y).tolist() == [3.0, 8.0]
    defined_later = 7.0
    assert grad(ops.mul)(X, Y).tolist() == [7.0, 7.0]
    bprop_getters.unregister(ops.Mul)
