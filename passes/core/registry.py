"""Passes and the pass registry: ``@graph_pass`` registers a function under its own name.

>>> @graph_pass(times=1)
... def rename(graph, *, options):
...     '''graph f -> graph f', as often as ``times`` says.'''
...     graph.title += "'" * options["times"]
>>> rename
<pass rename{times=1}>
>>> del PASSES["rename"]
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, overload

from minigraph.core.aliases import Attrs
from minigraph.core.definitions import PASSES_GROUP as GROUP
from minigraph.core.definitions import entry_point_names, load_entry_points, may_redefine, source_location
from minigraph.core.deprecated_names import DeprecatedAttribute, warn_renamed
from minigraph.core.errors import DuplicateNameError, UnknownNameError, UsageError, did_you_mean
from minigraph.core.lazy import LazyTable, resolve
from minigraph.core.location import source_name
from minigraph.ir.exact_keys import exact_attrs_key
from minigraph.ir.graph import Graph
from passes.core.statistics import Statistics


class Options(Mapping[str, Any]):
    """The options of one run of a pass, a read-only mapping; ``statistics`` holds the statistics of its rules."""

    def __init__(self, values: Mapping[str, object] | None = None) -> None:
        self._values = dict(values or {})
        self.statistics = Statistics()

    tally = DeprecatedAttribute("statistics")

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


OPTIONS_TEXT = "passes.core.pipeline_text:options_text"  # bound late: it imports the scanner, and few passes print
Body = Callable[..., None]  # (graph) -> None, or (graph, *, options) -> None
Checks = Mapping[str, Callable[[Any], object]]  # by option: a function that raises for an invalid value
Tolerance = float | Callable[[Mapping[str, Any]], float]  # one for all options, or computed from the options


class Order(NamedTuple):
    """The ordering constraints of a pass.

    ``requires`` names facts that an earlier pass must provide, ``provides`` facts that hold after the pass, ``after``
    passes that must run earlier if they are in the pipeline at all.
    """

    requires: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


NO_ORDER = Order()


class Pass:
    """A function that edits a graph in place, with its options; call it, or put it into a pipeline.

    ``name`` defaults to the function's name, ``options`` are its options with their values, ``loc`` is the file:line
    of the function. Two passes are equal if they run the same function with the same options.
    """

    def __init__(
        self, body: Body, options: Attrs, name: str | None = None, order: Order = NO_ORDER,
        checks: Checks = MappingProxyType({}), tol: Tolerance = 0.0,
    ) -> None:  # fmt: skip
        self.body, self.name, self.order, self.checks, self._tol = body, name or body.__name__, order, checks, tol
        self.requires, self.provides, self.after = order
        self.options: Mapping[str, Any] = MappingProxyType(dict(options))
        self.__doc__ = body.__doc__
        self.__name__, self.__module__ = self.name, body.__module__
        self._takes_options = "options" in inspect.signature(body).parameters

    def _repr_html_(self) -> str:
        properties = [("summary", (self.__doc__ or "").strip().partition("\n")[0]), ("defined at", self.loc)]
        return str(resolve("minigraph.core.html_tables:properties_html")(f"pass {self}", properties))

    def __call__(self, graph: Graph, options: Options | None = None, **changed: object) -> None:
        """Edit ``graph``; ``changed`` are options by name. Raises ``UnknownNameError`` for an unknown option."""
        if options is None:
            options = Options(self.with_options(**changed).options)
        if self._takes_options:
            self.body(graph, options=options)
        else:
            self.body(graph)

    def with_options(self, **changed: object) -> Pass:
        """The same pass with other options.

        Raises ``UnknownNameError`` for an unknown option, ``UsageError`` for a value of another type than the default.
        """
        renamed = RENAMED_OPTIONS.get(self.name, {})
        for old in renamed.keys() & changed.keys():
            warn_renamed(f"pass '{self.name}': the option '{old}'", f"'{renamed[old]}'")
            changed[renamed[old]] = changed.pop(old)
        for name, value in changed.items():
            self._check(name, value)
        return Pass(self.body, {**self.options, **changed}, self.name, self.order, self.checks, self._tol)

    having = DeprecatedAttribute("with_options")

    def _check(self, name: str, value: object) -> None:
        if name not in self.options:
            raise UnknownNameError(f"pass '{self.name}' has no option '{name}'{did_you_mean(name, self.options)}")
        usual = self.options[name]
        if name in self.checks:
            self.checks[name](value)
        elif type(value) is not type(usual) and usual is not None and (type(usual), type(value)) != (float, int):
            expected = f"takes {type(usual).__name__}, as in {name}={usual!r}, not {value!r}"
            raise UsageError(f"pass '{self.name}': option '{name}' {expected}")

    @property
    def tol(self) -> float:
        """Relative tolerance of results with these options; 0 means bit-exact."""
        return self._tol(self.options) if callable(self._tol) else self._tol

    @property
    def summary(self) -> str:
        """The first line of its docstring, before -> after; for a rule, the rule's summary."""
        rule = getattr(self.body, "summary", None)
        return rule if isinstance(rule, str) else (self.__doc__ or "").strip().partition("\n")[0]

    @property
    def loc(self) -> str:
        """Where its function is defined, as ``file:line``; for a rule, the rule's location."""
        code = getattr(self.body, "__code__", None)
        if code is None:
            return str(getattr(self.body, "loc", self.__module__))
        return f"{source_name(code.co_filename)}:{code.co_firstlineno}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pass):
            return NotImplemented
        return self.body is other.body and exact_attrs_key(self.options) == exact_attrs_key(other.options)

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        """The textual form, with every option that differs from its default."""
        usual = PASSES[self.name].options if self.name in PASSES else {}
        changed = {k: v for k, v in self.options.items() if k not in usual or usual[k] != v}
        return self.name + resolve(OPTIONS_TEXT)(changed)

    def __repr__(self) -> str:
        return f"<pass {self.name}{resolve(OPTIONS_TEXT)(self.options)}>"


# the built-in passes by folder, each in the module of its name
BUILT_IN = {
    "passes.optimize": (
        "algebra dead_stores fuse_elementwise fuse_attention fuse_epilogue fuse_reduction fuse_rms_norm "
        "algebra_inexact recognize_inexact hoist_invariants inline_bodies merge_products nz_layouts plan_memory "
        "hoist_pools recognize recompute sink_slices transpose_products canonicalize sink_transposes fuse_conv_bn_relu "
        "fuse_matmul_bias constant_fold cse dce lower_depend"
    ),
    "passes.numpy": "chwn expand_composites fuse_loops scatter_sums batch_sums unfuse",
}
PASSES: LazyTable[Pass] = LazyTable(
    {f"{folder}.{name}": name for folder, names in BUILT_IN.items() for name in names.split()}
    | {"passes.rulebook": "fuse rewrite"}
)
RENAMED = {  # passes: old name -> new; old names warn, and are removed in the next release
    "turn_products": "transpose_products", "algebra_near": "algebra_inexact", "recognize_near": "recognize_inexact",
    "open_composites": "expand_composites", "sum_many": "batch_sums", "join_products": "merge_products",
    "pool_first": "hoist_pools",
}  # fmt: skip
RENAMED_OPTIONS = {  # pass -> old name of an option -> new; old names warn, and are removed in the next release
    "canonicalize": {"max": "max_sweeps"}, "merge_products": {"few": "min_products", "longest": "max_contraction"},
    "recompute": {"rounds": "max_iterations"}, "saturate": {"rounds": "max_iterations"},
    "unfuse": {"sums": "min_sums"},
}  # fmt: skip
EXTRAS = {"saturate": "passes.egraph.saturate:saturate"}  # registered on first use: they need optional dependencies


@overload
def graph_pass(body: Body, /) -> Pass: ...
@overload
def graph_pass(
    name: str | None = None,
    /,
    *,
    requires: tuple[str, ...] = (),
    provides: tuple[str, ...] = (),
    after: tuple[str, ...] = (),
    checks: Checks = ...,
    tol: Tolerance = 0.0,
    **options: object,
) -> Callable[[Body], Pass]: ...
def graph_pass(
    body: Body | str | None = None,
    /,
    *,
    requires: tuple[str, ...] = (),
    provides: tuple[str, ...] = (),
    after: tuple[str, ...] = (),
    checks: Checks = MappingProxyType({}),
    tol: Tolerance = 0.0,
    **options: object,
) -> Pass | Callable[[Body], Pass]:
    """Make a pass of ``name(graph)`` or ``name(graph, *, options)`` and register it in ``PASSES_GROUP``.

    The first argument replaces the function's name. ``requires``, ``provides`` and ``after`` are its ``Order``; a
    pipeline that violates it is rejected when it is built. ``tol`` is a relative tolerance, or a function of the
    options that returns it; without it, the pass is bit-exact. Other keywords are options with their defaults;
    ``checks`` maps options to functions that raise for invalid values. Raises ``DuplicateNameError`` if another module
    has registered the name; a notebook cell may be run again.
    """
    if callable(body):
        return _register(Pass(body, {}))
    for what, names in (("requires", requires), ("provides", provides), ("after", after)):
        if not isinstance(names, tuple):
            raise UsageError(f"graph_pass: {what}={names!r} is not a tuple of names; write {what}=({names!r},)")
    order = Order(requires, provides, after)
    return lambda function: _register(Pass(function, options, body, order, checks, tol))


def _register(step: Pass) -> Pass:
    previous = PASSES.get_registered(step.name)
    if previous is not None and not may_redefine(source_location(previous.body), source_location(step.body)):
        raise DuplicateNameError(f"pass '{step.name}' is already defined in {previous.__module__}; rename one")
    PASSES[step.name] = step
    return step


def pass_named(name: str) -> Pass:
    """The pass called ``name``, also of an optional or installed package; raises ``UnknownNameError`` with the nearest.

    >>> import passes
    >>> pass_named("dec")
    Traceback (most recent call last):
    minigraph.errors.UnknownNameError: no pass 'dec'; did you mean 'dce'?
    """
    if name in RENAMED:
        warn_renamed(f"the pass '{name}'", f"'{RENAMED[name]}'")
        name = RENAMED[name]
    optional = [resolve(EXTRAS[name])] if name in EXTRAS else []
    for item in (*optional, *load_entry_points(GROUP, name)) if name not in PASSES else ():
        PASSES.setdefault(name, as_pass(item))
    if name not in PASSES:
        raise UnknownNameError(f"no pass '{name}'{did_you_mean(name, pass_names())}")
    return PASSES[name]


def pass_names() -> list[str]:
    """The names of all passes, including those that are imported on first use."""
    return list(dict.fromkeys([*PASSES, *EXTRAS, *entry_point_names(GROUP)]))


def as_pass(item: object) -> Pass:
    """A pass, its name, or a plain function of a graph; raises ``UsageError`` for anything else."""
    if isinstance(item, Pass):
        return item
    if isinstance(item, str):
        return pass_named(item)
    if callable(item) and hasattr(item, "__name__"):
        return Pass(item, {})
    raise UsageError(f"pipeline: {item!r:.60} is not a pass; give a pass, its name, or a function of a graph")
