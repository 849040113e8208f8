"""What a pass is, and the table of all passes: ``@graph_pass`` enters a function under its own name.

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
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any, overload

from minigraph.errors import DuplicateName, UnknownName, UsageError, did_you_mean
from minigraph.ir.graph import Graph
from minigraph.ir.values import Writer
from passes.tally import Tally

GROUP = "minigraph.passes"  # the entry points that installed packages offer passes under


class Options(Mapping[str, Any]):
    """The options of one run of a pass, read like a dict; ``tally`` counts what its rules did."""

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self._values = dict(values or {})
        self.tally = Tally()

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


Body = Callable[..., None]  # (graph) -> None, or (graph, *, options) -> None


class Pass:
    """A function that edits a graph in place, with its options; call it, or put it into a pipeline.

    ``name`` is the function's, ``options`` are those it knows with their values, ``rules`` what it reported
    of the rules of its last run in the running pipeline (see ``Options.tally``).
    """

    def __init__(self, body: Body, options: Mapping[str, Any]) -> None:
        self.body, self.name = body, body.__name__
        self.options: Mapping[str, Any] = MappingProxyType(dict(options))
        self.__doc__ = body.__doc__
        self.__name__, self.__module__ = body.__name__, body.__module__
        self._takes_options = "options" in inspect.signature(body).parameters

    def __call__(self, graph: Graph, options: Options | None = None, **changed: Any) -> None:
        """Edit ``graph``; ``changed`` are options by name. Raises ``UnknownName`` for an option it has not."""
        if options is None:
            options = Options(self.having(**changed).options)
        if self._takes_options:
            self.body(graph, options=options)
        else:
            self.body(graph)

    def having(self, **changed: Any) -> Pass:
        """The same pass with other options; raises ``UnknownName`` for one that it has not."""
        for name in changed:
            if name not in self.options:
                raise UnknownName(f"pass '{self.name}' has no option '{name}'{did_you_mean(name, self.options)}")
        return Pass(self.body, {**self.options, **changed})

    def __str__(self) -> str:
        """The textual form, with every option that is not at its default."""
        usual = PASSES[self.name].options if self.name in PASSES else {}
        changed = {k: v for k, v in self.options.items() if k not in usual or usual[k] != v}
        return self.name + Writer().attrs(changed).lstrip()

    def __repr__(self) -> str:
        return f"<pass {self.name}{Writer().attrs(self.options).lstrip()}>"


PASSES: dict[str, Pass] = {}


@overload
def graph_pass(body: Body, /) -> Pass: ...
@overload
def graph_pass(**options: Any) -> Callable[[Body], Pass]: ...
def graph_pass(body: Body | None = None, /, **options: Any) -> Pass | Callable[[Body], Pass]:
    """Make a pass of ``name(graph)`` or ``name(graph, *, options)`` and enter it into ``PASSES``.

    Keywords are its options with their defaults. Raises ``DuplicateName`` when the name is taken.
    """
    if body is None:
        return lambda function: _entered(Pass(function, options))
    return _entered(Pass(body, {}))


def _entered(made: Pass) -> Pass:
    if made.name in PASSES:
        raise DuplicateName(f"pass '{made.name}' is already defined in {PASSES[made.name].__module__}; rename one")
    PASSES[made.name] = made
    return made


def pass_named(name: str) -> Pass:
    """The pass called ``name``, also one an installed package offers; raises ``UnknownName`` with the nearest.

    >>> import passes
    >>> pass_named("dec")
    Traceback (most recent call last):
    minigraph.errors.UnknownName: no pass 'dec'; did you mean 'dce'?
    """
    if name not in PASSES:
        for offered in entry_points(group=GROUP, name=name):
            offered.load()
    if name not in PASSES:
        raise UnknownName(f"no pass '{name}'{did_you_mean(name, PASSES)}")
    return PASSES[name]


def as_pass(item: object) -> Pass:
    """A pass, its name, or a plain function of a graph; raises ``UsageError`` for anything else."""
    if isinstance(item, Pass):
        return item
    if isinstance(item, str):
        return pass_named(item)
    if callable(item) and hasattr(item, "__name__"):
        return Pass(item, {})
    raise UsageError(f"pipeline: {item!r:.60} is not a pass; give a pass, its name, or a function of a graph")
