"""Every operator's record, checked by one loop over the table and the samples it carries.

A new operator needs no test of its own to be covered here: types, gradients of orders 1 and 2 against
finite differences, the same bits in every mode, buffers, memory, work, words.
"""

from contextlib import suppress

import numpy as np
import pytest

from minigraph import Parameter, Tensor, grad, interpret, jit, trace
from minigraph.core.errors import MinigraphError
from minigraph.core.op import TABLE, apply, forward_of
from minigraph.core.op_fields import Work
from minigraph.core.tensor import wrap
from minigraph.core.types import DTYPES, TensorType, float16, type_of
from minigraph.execute.compile import compile_graph
from minigraph.ir.text import parse
from minigraph.ir.verify import verify
from tests.inspection import bits
from tests.tables import in_one_test

pytestmark = pytest.mark.filterwarnings("ignore::minigraph.core.autodiff.differentiability.NonDifferentiableWarning")

STRUCTURAL = ("leaf", "region")  # nodes that hold a graph together; they have no kernel
UNITS = ("cube", "vector", "scalar", "move", "none")
FAMILIES = ("elementwise", "reduction", "view", "other", *STRUCTURAL)
OPERATORS = [op for op in TABLE.values() if op.family not in STRUCTURAL]


def samples_of(op):
    return op.samples(np.random.default_rng(0))


CASES = [pytest.param(op, sample, id=f"{op}-{i}") for op in OPERATORS for i, sample in enumerate(samples_of(op))]
SMOOTH = [case for case in CASES if case.values[1].smooth]
each_case = pytest.mark.parametrize(("op", "sample"), CASES)
each_smooth_case = pytest.mark.parametrize(("op", "sample"), SMOOTH)


def as_tuple(out):
    return out if isinstance(out, tuple) else (out,)


def arrays_of(out):
    return [np.asarray(o.array if isinstance(o, Tensor) else o) for o in as_tuple(out)]


def attributes(op, sample):
    """The attributes of a sample in canonical form."""
    tensors = [wrap(a) for a in sample.args]
    return op.canonical(*tensors, **sample.attrs) if op.canonical else dict(sample.attrs)


def forward(op, arrays, attrs):
    kernel = forward_of(op, [array.dtype for array in arrays])
    with np.errstate(all="ignore"):
        return [np.asarray(o) for o in as_tuple(kernel(*arrays, **attrs))]


# ---- the record itself -----------------------------------------------------------------------------


@in_one_test(OPERATORS)
def test_the_record_is_complete(op):
    assert op.doc.endswith(".")
    assert len(op.doc) < 160
    assert "\n" not in op.doc
    assert op.name.isidentifier()
    assert op.unit in UNITS
    assert op.family in FAMILIES
    assert samples_of(op)


@in_one_test(case.values for case in CASES)
def test_labels_are_short_effects_name_a_kind_and_a_resource_and_attributes_are_canonical_once(op, sample):
    attrs = attributes(op, sample)
    label = op.label_of(attrs)
    assert 0 < len(label) <= 60
    assert "\n" not in label
    for effect in op.effects_of(attrs):
        assert effect.kind in ("read", "write")
        assert effect.resource and "{" not in effect.resource
    assert op.writes or not op.stores
    hash(tuple(attrs.items()))
    assert attributes(op, sample._replace(attrs=attrs)) == attrs
    assert set(op.defaults) <= set(attrs) or not op.canonical


@each_case
def test_the_graph_text_of_an_operator_reads_back(op, sample):
    graph = trace(*function_and_tensors(op, sample))
    verify(graph)
    if "opaque(" not in str(graph):  # a Python function as an attribute has no text form
        assert str(parse(str(graph))) == str(graph)


# ---- types -----------------------------------------------------------------------------------------


@each_case
def test_infer_gives_the_type_of_forward(op, sample):
    attrs = attributes(op, sample)
    types = op.types([type_of(a) for a in sample.args], attrs)
    assert types == tuple(type_of(a) for a in forward(op, sample.args, attrs))


@each_case
def test_infer_refuses_a_dtype_exactly_when_the_operator_does(op, sample):
    """Float operands brought to every dtype: the inferred type comes out, or both refuse."""
    for dtype in DTYPES:
        with np.errstate(all="ignore"):
            floats = [np.nan_to_num(a).astype(dtype.numpy) if a.dtype.kind == "f" else a for a in sample.args]
        tensors = list(map(wrap, floats))
        if op.promotes and op.promotes.to_float and not dtype.is_float:
            continue  # the record treats these operands as floats
        expected = types_or_refusal(op, tensors, sample.attrs)
        if expected is None:
            with pytest.raises(MinigraphError):
                apply(op, *fresh_operands(op, tensors), **sample.attrs)
        else:
            result = apply(op, *fresh_operands(op, tensors), **sample.attrs)
            assert tuple(map(type_of, arrays_of(result))) == expected, dtype


def types_or_refusal(op, tensors, attrs):
    try:
        canonical = op.canonical(*tensors, **attrs) if op.canonical else attrs
        return op.types([t.type for t in tensors], canonical)
    except MinigraphError:
        return None


def fresh_operands(op, tensors):
    """The operands; where the operator stores, the first is a Parameter."""
    return [Parameter(tensors[0], name="w"), *tensors[1:]] if op.stores else tensors


# ---- gradients -------------------------------------------------------------------------------------

STEP = 1e-5


def scalar_of(op, sample):
    """The operator as a function to one number: its results weighted at random; also the float positions."""
    rng = np.random.default_rng(1)
    attrs = attributes(op, sample)
    shapes = [a.shape for a in forward(op, sample.args, attrs)]
    weights = [Tensor(rng.normal(size=shape)) for shape in shapes]

    def function(*tensors):
        outs = as_tuple(apply(op, *tensors, **sample.attrs))
        return sum(((out * weight).sum() for out, weight in zip(outs, weights, strict=True)), Tensor(np.array(0.0)))

    return function, tuple(i for i, a in enumerate(sample.args) if a.dtype.kind == "f")


def directions(sample, positions, seed):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=a.shape) if i in positions else 0 for i, a in enumerate(sample.args)]


def step_along(sample, along, step):
    return [wrap(np.asarray(a + step * d) if np.ndim(d) or d else a) for a, d in zip(sample.args, along, strict=True)]


def central_difference(function, sample, along):
    ahead, behind = (function(*step_along(sample, along, step)).item() for step in (STEP, -STEP))
    return (ahead - behind) / (2 * STEP)


def directional_sum(gradients, along, positions):
    """The sum of gradients times directions, on tensors."""
    gradients = gradients if isinstance(gradients, tuple) else (gradients,)
    pairs = zip(gradients, positions, strict=True)
    return sum(((g * Tensor(np.asarray(along[i]))).sum() for g, i in pairs), Tensor(np.array(0.0)))


@each_smooth_case
def test_the_gradient_is_the_finite_difference(op, sample):
    function, positions = scalar_of(op, sample)
    along = directions(sample, positions, 2)
    gradient = directional_sum(grad(function, positions)(*step_along(sample, along, 0)), along, positions)
    assert gradient.item() == pytest.approx(central_difference(function, sample, along), rel=1e-6, abs=1e-7)


@each_smooth_case
def test_the_second_gradient_is_the_finite_difference_of_the_first(op, sample):
    function, positions = scalar_of(op, sample)
    first, second = directions(sample, positions, 3), directions(sample, positions, 4)

    def slope(*tensors):
        return directional_sum(grad(function, positions)(*tensors), first, positions)

    gradient = directional_sum(grad(slope, positions)(*step_along(sample, second, 0)), second, positions)
    assert gradient.item() == pytest.approx(central_difference(slope, sample, second), rel=1e-5, abs=1e-6)


@each_smooth_case
def test_a_gradient_has_the_type_of_its_operand(op, sample):
    function, positions = scalar_of(op, sample)
    gradients = as_tuple(grad(function, positions)(*map(wrap, sample.args)))
    assert [g.type for g in gradients] == [type_of(sample.args[i]) for i in positions]


@each_smooth_case
def test_the_gradient_of_a_graph_is_the_eager_gradient(op, sample):
    function, positions = scalar_of(op, sample)
    tensors = list(map(wrap, sample.args))
    if op.stores:  # the target of an assignment is a Parameter, which is not an argument of a graph
        parameter = Parameter(tensors[0], name="w")
        gradient = grad(lambda *rest: function(parameter, *rest), tuple(i - 1 for i in positions[1:]))
        tensors = tensors[1:]
    else:
        gradient = grad(function, positions)
    eager = arrays_of(gradient(*tensors))
    assert bits(arrays_of(jit(gradient)(*tensors))) == bits(eager)
    assert bits(compile_graph(trace(gradient, *tensors))(*[t.array for t in tensors])) == bits(eager)


# ---- one meaning in every mode ---------------------------------------------------------------------


def function_and_tensors(op, sample):
    """A function of tensors that calls the operator, and tensors to call it with."""
    tensors = [Tensor.from_numpy(a) for a in sample.args]
    if not op.stores:
        return lambda *ins: apply(op, *ins, **sample.attrs), *tensors
    target = Parameter(tensors[0], name="w")
    return lambda *ins: apply(op, target, *ins, **sample.attrs), *tensors[1:]


@each_case
def test_every_mode_gives_the_same_bits(op, sample, capsys):
    function, *tensors = function_and_tensors(op, sample)
    expected = bits(forward(op, sample.args, attributes(op, sample)))
    printed = capsys.readouterr().out
    graph = trace(function, *tensors)
    executions = {
        "eager": lambda: arrays_of(function(*tensors)),
        "interpreted": lambda: arrays_of(interpret(graph, *tensors)),
        "compiled": lambda: compile_graph(graph)(*[t.array for t in tensors]),
        "jit": lambda: arrays_of(jit(function)(*tensors)),
    }
    for name, run in executions.items():
        assert bits(run()) == expected, name
        assert capsys.readouterr().out == printed, name


@each_case
def test_a_result_in_a_planned_buffer_has_the_same_bits(op, sample):
    """Between other operators a result lands in reused memory; it must not show."""
    function, *tensors = function_and_tensors(op, sample)

    def double_around(*ins):
        outs = as_tuple(function(*[double(t) if t.dtype.kind == "f" else t for t in ins]))
        return tuple(double(out) for out in outs)

    program = compile_graph(trace(double_around, *tensors))
    expected = bits(arrays_of(double_around(*tensors)))
    for _ in range(2):  # the second run finds the buffers used
        assert bits(program(*[t.array for t in tensors])) == expected


def double(tensor):
    return apply("add", tensor, tensor)


@each_case
def test_forward_into_given_memory(op, sample):
    if not op.into:
        return
    attrs = attributes(op, sample)
    expected = forward(op, sample.args, attrs)
    buffer = np.full_like(expected[0], 3)
    with np.errstate(all="ignore"):
        forward_of(op)(*sample.args, out=buffer, **attrs)
    assert bits([buffer]) == bits(expected)
    for i, operand in enumerate(sample.args):
        if op.family == "elementwise" and type_of(operand) == type_of(expected[0]):
            arrays = [a.copy() for a in sample.args]
            with np.errstate(all="ignore"):
                forward_of(op)(*arrays, out=arrays[i], **attrs)
            assert bits([arrays[i]]) == bits(expected)


@each_case
def test_forward_leaves_its_operands_alone_and_depends_on_no_layout_and_only_views_share_memory(op, sample):
    attrs, before = attributes(op, sample), bits(sample.args)
    outs = forward(op, sample.args, attrs)
    assert bits(sample.args) == before
    assert op.view or not any(np.shares_memory(out, a) for out in outs for a in sample.args)
    assert bits(forward(op, [np.array(a, order="F") for a in sample.args], attrs)) == bits(outs)


@each_case
def test_the_expansion_and_swapped_operands_of_commutative_operators_give_the_same_bits(op, sample):
    attrs = attributes(op, sample)
    expected = bits(forward(op, sample.args, attrs))
    if op.expand is not None:
        assert bits(arrays_of(op.expand(*map(wrap, sample.args), **attrs))) == expected
    if op.commutative:
        assert bits(forward(op, sample.args[::-1], attrs)) == expected


def test_an_operator_that_stores_changes_its_target():
    storing = [(op, sample) for op in OPERATORS if op.stores for sample in samples_of(op)]
    assert storing
    for op, sample in storing:
        target = Parameter(Tensor(sample.args[0]), name="w")
        apply(op, target, *map(Tensor, sample.args[1:]), **sample.attrs)
        assert bits([target.array]) == bits(forward(op, sample.args, attributes(op, sample)))


# ---- work ------------------------------------------------------------------------------------------

LANES = ("simple", "special", "cast", "reduce", "transpose", "gather")


@each_case
def test_work_is_never_negative_and_grows_with_the_operands(op, sample):
    attrs = attributes(op, sample)
    ins = [type_of(a) for a in sample.args]
    outs = op.types(ins, attrs)
    work = op.work(outs if len(outs) != 1 else outs[0], *ins, **attrs)
    figures = [n for m in work.macs for n in m] + [n for _, n in work.lanes] + [*(work.rows or ())]
    assert min([*figures, work.read, work.written, work.passes - 1], default=0) >= 0
    assert {lane for lane, _ in work.lanes} <= set(LANES)
    assert work.read <= sum(t.nbytes for t in (*ins, *outs))
    assert bool(work.macs) <= (op.unit == "cube")
    if op.unit == "none":
        assert work == Work() or op.family == "view"  # a transposed view costs nothing
    elif sum(t.size for t in outs) and not op.view:
        assert work.written == sum(t.nbytes for t in outs)


def test_half_precision_is_half_the_traffic_and_the_table_is_not_empty():
    for op in OPERATORS:
        if op.family == "elementwise" and op.canonical is None:
            types = [TensorType((4, 4), float16)] * len(samples_of(op)[0].args)
            with suppress(MinigraphError):
                assert op.work(op.infer(*types), *types).read == 32 * len(types)
    assert len(OPERATORS) > 80
    assert len(CASES) > 2 * len(OPERATORS)
