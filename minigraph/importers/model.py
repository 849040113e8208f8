"""An imported model as data: the common representation of all file formats.

A format's reader builds one ``Model``: named constants and Parameters, and a list of ``Step``, one for each node of the
file, in order of execution. Reading runs nothing. ``ImportedNetwork`` runs a model through ``apply``, in every mode.

To add a format, write three things and nothing else:

1. a table: foreign operator -> a Python function of Tensors that calls our operators (``OperatorTable``);
2. a reader: file -> ``Model``. Values are referenced by ``Ref(name)``, also inside tuples and lists of a step's
   ``args``; everything else in ``args`` and ``attrs`` is passed on as it is. An attribute that is a ``Model`` (a
   branch, the body of a loop) reaches the function as a callable of Tensors, which may use all values in scope;
3. a public function that gives ``ImportedNetwork(model)`` to the user.

Weights become Tensors by ``weights.parameter`` and ``weights.constant``, without copies. Operators and control flow
need no graph: values known during tracing (shapes, constants) are computed immediately, all others become nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from minigraph.core.aliases import Attrs, Function
from minigraph.core.errors import ModelError, did_you_mean
from minigraph.core.location import Loc
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType

MAX_SHOWN_WIDTH = 80  # characters of a name in messages and listings
MAX_COMPARED_NAMES = 1000  # names among which an error message looks for a similar one
Dims = tuple[int | str | None, ...]  # sizes of axes; a str is a symbol, None is unknown


class Ref(NamedTuple):
    """A value of the model, by name, as an argument of a step."""

    name: str


@dataclass(frozen=True, slots=True)
class Input:
    """An input of a model: its name, dtype, and dims; ``None`` where the file does not say."""

    name: str
    dtype: DType | None = None
    dims: Dims | None = None

    def __str__(self) -> str:
        dims = (
            "..." if self.dims is None else ",".join("?" if dim is None else printable(str(dim)) for dim in self.dims)
        )
        return f"{printable(self.name)}: {self.dtype.short if self.dtype else '?'}[{dims}]"


@dataclass(frozen=True, slots=True)
class Step:
    """One node: ``outputs = function(*args, **attrs)``.

    ``kind`` is the foreign operator and ``name`` the node's own name, for messages. ``function`` returns a Tensor, or a
    tuple of at least as many values as ``outputs``; an output called "" is dropped. ``scope`` is the path of the module
    that the node belongs to, such as "layer1/0/conv1". ``loc`` is the user's source line, where the file knows it;
    without one, the node is located in the model's listing.
    """

    kind: str
    name: str
    function: Function
    args: tuple[object, ...]
    attrs: Attrs
    outputs: tuple[str, ...]
    scope: str = ""
    loc: Loc | None = None

    def __str__(self) -> str:
        operands = ", ".join(printable(ref.name) for ref in refs_in(self.args))
        return f"{', '.join(map(printable, self.outputs))} = {printable(self.kind)}({operands})"

    @property
    def title(self) -> str:
        """The node in messages: its operator and its name."""
        return f"{printable(self.kind)} node '{printable(self.name or next(iter(self.outputs), ''))}'"

    @property
    def bodies(self) -> list[Model]:
        """The models among the attributes: branches and bodies of loops."""
        return [value for value in self.attrs.values() if isinstance(value, Model)]


@dataclass(eq=False)
class Model:
    """Steps in order of execution, with named inputs, constants and outputs; checked when it is created.

    ``constants`` are Tensors by name, Parameters among them. With ``is_body``, names without a definition are free
    variables, values of the enclosing model; ``free`` lists them. Raises ``ModelError`` for a name that is defined
    twice, or used before it is defined; checking takes time linear in the number of steps.
    """

    title: str
    inputs: Sequence[Input]
    constants: Mapping[str, Tensor]
    steps: Sequence[Step]
    outputs: Sequence[str]
    is_body: bool = False
    free: tuple[str, ...] = field(init=False)
    last_uses: list[list[str]] = field(init=False, repr=False)  # by step: the values whose live range ends there

    def __post_init__(self) -> None:
        defined = set(self.constants)
        for name in [item.name for item in self.inputs]:
            if name in defined:
                raise ModelError(f"{self.title}: the input '{printable(name)}' is defined twice; rename one")
            defined.add(name)
        first_uses = self._check_steps(defined)
        free = [name for name in (*first_uses, *filter(None, self.outputs)) if name not in defined]
        if free and not self.is_body:
            step = first_uses.get(free[0])
            user = step.title if step else "an output"
            few = len(defined) < MAX_COMPARED_NAMES
            hint = did_you_mean(printable(free[0]), map(printable, defined)) if few else "; define it"
            raise ModelError(f"{self.title}: nothing defines '{printable(free[0])}', which {user} uses{hint}")
        self.free = tuple(dict.fromkeys(free))
        self.last_uses = self._find_last_uses()

    def _check_steps(self, defined: set[str]) -> dict[str, Step]:
        """Add the outputs of all steps to ``defined``; returns the names used before a definition, with their users."""
        undefined = dict[str, Step]()
        for step in self.steps:
            for name in uses_of(step):
                if name not in defined:
                    undefined.setdefault(name, step)
            for name in filter(None, step.outputs):
                if name in undefined:
                    text = f"{undefined[name].title} uses '{printable(name)}' before {step.title} defines it"
                    raise ModelError(f"{self.title}: {text}; sort the nodes")
                if name in defined:
                    raise ModelError(f"{self.title}: {step.title} defines '{printable(name)}' again; rename one")
                defined.add(name)
        return undefined

    def _find_last_uses(self) -> list[list[str]]:
        """Liveness: the values that each step is the last to use; outputs and constants live to the end."""
        live_out = {*self.outputs, *self.constants}
        last_step = {name: index for index, step in enumerate(self.steps) for name in (*step.outputs, *uses_of(step))}
        last_uses: list[list[str]] = [[] for _ in self.steps]
        for name, index in last_step.items():
            if name and name not in live_out:
                last_uses[index].append(name)
        return last_uses


def refs_in(args: Iterable[object]) -> Iterator[Ref]:
    """All references in the arguments of a step, also in nested tuples and lists."""
    for arg in args:
        if isinstance(arg, Ref):
            yield arg
        elif isinstance(arg, tuple | list):
            yield from refs_in(arg)


def uses_of(step: Step) -> Iterator[str]:
    """The names of all values that a step uses, including the free variables of its bodies."""
    yield from (ref.name for ref in refs_in(step.args))
    for body in step.bodies:
        yield from body.free


def all_steps(model: Model) -> Iterator[Step]:
    """All steps of a model and of the bodies in it, each once."""
    for model_or_body in all_models(model):
        yield from model_or_body.steps


def all_models(model: Model) -> list[Model]:
    """A model and the bodies in it, each once: calls of a function may share one body."""
    models = {id(model): model}
    worklist = [model]
    while worklist:
        bodies = {id(body): body for step in worklist.pop().steps for body in step.bodies}
        worklist += [body for key, body in bodies.items() if key not in models]
        models |= bodies
    return list(models.values())


def printable(name: str | bytes) -> str:
    """A name from a file, also one that is not valid UTF-8, as one short line of printable characters.

    >>> printable("a\\nb"), printable("x" * 100)
    ('a\\\\nb', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...')
    """
    name = name if isinstance(name, str) else name.decode(errors="replace")
    text = name[:MAX_SHOWN_WIDTH]
    text = text if text.isprintable() else repr(text)[1:-1]
    return (
        text if len(name) <= MAX_SHOWN_WIDTH and len(text) <= MAX_SHOWN_WIDTH else text[: MAX_SHOWN_WIDTH - 3] + "..."
    )
