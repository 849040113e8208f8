"""The grid: every case, generated from the names of minigraph, call tables, and lists of dtypes and shapes."""

import inspect
import re
from itertools import product

import minigraph as ms
from minigraph import nn, ops
from minigraph import numpy as mnp
from minigraph.core.errors import MinigraphError
from tests.differential import call_tables, language, layers, programs
from tests.differential.sweep import SAMPLE_DTYPES, case_of, lines_of, sweep_dtypes, takes_any_dtype

# Names that other tests compare by whole programs, because a single call does not show their effect; and names of
# minigraph only.
EXCLUDED = {
    "ApplyMomentum", "Assign", "AssignAdd", "AssignSub", "Bernoulli", "Custom", "Depend", "Dropout2D", "Dropout3D",
    "HookBackward", "InsertGradientOf", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "Multinomial", "Partial",
    "Primitive", "PrimitiveWithCheck", "PrimitiveWithInfer", "Print", "RReLU", "RandomCategorical", "RandomShuffle",
    "RandpermV2", "StandardLaplace", "StandardNormal", "UniformInt", "UniformReal", "apply", "assign", "assign_add",
    "assign_sub", "attach", "bernoulli_", "cauchy", "choice_with_mask", "composite", "concrete_array", "cond",
    "constexpr", "depend", "fori_loop", "from_numpy", "get_vm_impl_fn", "grad", "index_put_", "init_data", "known",
    "log_normal", "masked_scatter_", "multinomial", "normal_", "prim_attr_register", "print_", "random_",
    "random_categorical", "register_hook", "scan", "set_seed", "uniform_", "value_and_grad", "while_loop",
}  # fmt: skip
BASES = {
    "Cell", "CellDict", "CellList", "LossBase", "Optimizer", "LearningRateSchedule", "TrainOneStepCell",
    "TrainOneStepWithLossScaleCell", "FixedLossScaleUpdateCell", "DynamicLossScaleUpdateCell", "ParameterUpdate",
}  # fmt: skip

TABLES = {"ops": "functions", "primitive": "primitives", "Tensor": "methods", "numpy": "numpy", "nn": "layers"}

# ---- public names ----------------------------------------------------------------------------------


def public_values(module, accepts):
    """The public values of a module that ``accepts`` takes, by name."""
    return {name: value for name, value in vars(module).items() if accepts(name, value)}


def functions(module):
    """The public functions of a module, by name."""
    return public_values(module, lambda name, value: inspect.isfunction(value) and not name.startswith("_"))


def classes(module, base):
    """The subclasses of ``base`` in a module, by name."""
    return public_values(module, lambda _, value: isinstance(value, type) and issubclass(value, base))


def primitives():
    """The primitive classes, by name."""
    return classes(ops, ops.Primitive)


def methods():
    """The public methods of Tensor, by name."""
    return {name for name in dir(ms.Tensor) if not name.startswith("_") and callable(getattr(ms.Tensor, name, None))}


def _default_arguments(function):
    """Argument lists of one or two tensors, by the number of required parameters; none for other signatures."""
    needed = [p for p in inspect.signature(function).parameters.values()
              if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]  # fmt: skip
    return {1: ["x"], 2: ["x, y", "x, v", "x, 2", "x, 2.5"]}.get(len(needed), [])


def function_cases(everything=False):
    """Every function of ``ops``."""
    table, drawn, implemented = dict(lines_of(call_tables.FUNCTIONS)), dict(lines_of(call_tables.DRAWN)), functions(ops)
    for name in sorted(({*table, *implemented} if everything else implemented.keys()) - drawn.keys() - EXCLUDED):
        if name in table:
            yield from sweep_dtypes(f"ops.{name}", [f"ops.{name}({args})" for args in table[name]])
        else:
            yield from _in_short(
                f"ops.{name}", [f"ops.{name}({args})" for args in _default_arguments(implemented[name])]
            )
    for name, arguments in drawn.items():
        if everything or name in implemented:
            for args in arguments:
                yield from _random_case(f"ops.{name}", f"ops.{name}({args})")


def _in_short(group, sources):
    """Cases over a few dtypes and kinds of values: for names that have no line in a table."""
    for source in sources:
        yield from (case_of(group, source, dtype) for dtype in (*SAMPLE_DTYPES, "bool"))
        yield case_of(group, source, "f32", "f32[17] edges")


def numpy_cases(everything=False):
    """Every function of ``ms.numpy``."""
    table, drawn, implemented = (
        dict(lines_of(call_tables.NUMPY)),
        dict(lines_of(call_tables.NUMPY_DRAWN)),
        functions(mnp),
    )
    for name in sorted({*table, *drawn, *implemented} if everything else implemented):
        make = _random_case if name in drawn else _cases_of_call
        for args in drawn.get(name) or table.get(name) or _default_arguments(implemented[name]):
            yield from make(f"numpy.{name}", f"mnp.{name}({args})")


def _cases_of_call(group, source):
    dtypes = ("f32", "i64", "f16", "bool") if takes_any_dtype(source) else ("f32",)
    return [case_of(group, source, dtype) for dtype in dtypes]


def _random_case(group, source):
    return [case_of(group, f"drawn = {source}\nreturn drawn.shape, str(drawn.dtype)", "f32")]


def method_cases(everything=False):
    """Every method and property of a tensor."""
    table, functions_too, implemented = (
        dict(lines_of(call_tables.METHODS)),
        dict(lines_of(call_tables.FUNCTIONS)),
        methods(),
    )
    for name in sorted(({*table, *implemented} if everything else implemented) - EXCLUDED):
        if name in table:
            yield from sweep_dtypes(f"Tensor.{name}", [f"x.{name}({args})" for args in table[name]], SAMPLE_DTYPES)
        else:
            arguments = functions_too.get(name.rstrip("_")) or _default_arguments(getattr(ms.Tensor, name))
            for args, dtype in product(arguments, SAMPLE_DTYPES):
                yield from _as_method(name, args, dtype)
    for name, spec in product(call_tables.PROPERTIES.split(), ("f32[2,3] normal", "i8[] normal", "f16[2,0,3] normal")):
        yield case_of(f"Tensor.{name}", f"x.{name}", "f32", spec)


def _as_method(name, args, dtype):
    """A call of a function as a call of the method; a method that writes in place returns the written tensor."""
    first, _, rest = args.partition(", ")
    if first in call_tables.INPUTS:
        call = f"{first}.{name}({rest})"
        source = f"{first} = {first} * 1\n{call}\nreturn {first}" if name.endswith("_") else call
        yield case_of(f"Tensor.{name}", source, dtype)


def primitive_cases(everything=False):
    """Every primitive class, configured and called."""
    implemented = primitives()
    named = {}
    for entry in re.split(r"\s{2,}|\n", call_tables.PRIMITIVES.strip()):
        parts = entry.split("|")
        config, args = (parts[1], parts[2]) if len(parts) == 3 else ("", "x")
        named.setdefault(parts[0], []).append(f"ops.{parts[0]}({config})({args})")
    for name in sorted({*named, *implemented} if everything else implemented):
        if name in named:
            for source in named[name]:
                dtypes = (*SAMPLE_DTYPES, "bool", "f64", "i64") if takes_any_dtype(source) else ("f32",)
                yield from (case_of(f"primitive.{name}", source, dtype) for dtype in dtypes)


def layer_cases(everything=False):
    """Every layer, loss, optimizer and schedule."""
    for make in (layers.layer_cases, layers.optimizer_cases, layers.schedule_cases):
        yield from make(lambda name: everything or hasattr(nn, name))


def mint_cases(everything=False):
    """Every function of ``ms.mint`` for which MindSpore has a kernel."""
    for name, arguments in lines_of(call_tables.MINT):
        for source in (f"mint.{name}({args})" for args in arguments):
            dtypes = ("f32",) if "." in name or not takes_any_dtype(source) else ("f32", "i64")
            yield from (case_of(f"mint.{name}", source, dtype) for dtype in dtypes)


def program_cases(everything=False):
    """Every program of several lines."""
    yield from programs.program_cases(
        lambda group: everything or exists(*group.replace("primitive.", "ops.").rsplit(".", 1))
    )


def exists(module, name):
    """Whether minigraph has a name in a module or class.

    >>> exists("nn", "Dense"), exists("nn.Cell", "construct"), exists("mindspore", "grid")
    (True, True, False)
    """
    owner = ms
    try:
        for part in filter(None, module.removeprefix("mindspore").split(".")):
            owner = getattr(owner, part)
        return hasattr(owner, name)
    except (AttributeError, MinigraphError):
        return False


def names_of(package):
    """The public names of a package whose calls are grouped, such as ``ops``; of ``nn`` without base classes."""
    offered = {"ops": functions(ops), "primitive": primitives(), "Tensor": methods(), "numpy": functions(mnp),
               "nn": classes(nn, nn.Cell).keys() - BASES}  # fmt: skip
    return set(offered[package]) - EXCLUDED


# ---- all of it -------------------------------------------------------------------------------------


def grid(everything=False):
    """Every case once; ``everything``: also cases of names that minigraph lacks, for the recording."""
    complete = (
        language.operator_cases, language.product_cases, language.index_cases, language.creation_cases,
        language.printing_cases,
    )  # fmt: skip
    named = (function_cases, method_cases, primitive_cases, numpy_cases, mint_cases, layer_cases,
             program_cases)  # fmt: skip
    cases = [case for make in complete for case in make()]
    cases += [case for make in named for case in make(everything)]
    return list({case.key: case for case in cases}.values())


def unrecorded_groups(cases, answers):
    """Groups without any recorded answer: names newer than the recording."""
    return sorted({case.group for case in cases} - {case.group for case in cases if case.key in answers})


def sample(cases, every=8):
    """Every eighth case of each group, and the first one always."""
    groups = {}
    for case in cases:
        groups.setdefault(case.group, []).append(case)
    return [case for group in groups.values() for case in group[::every]]
