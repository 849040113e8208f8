"""The errors that minigraph raises on purpose: one class per cause, each with an example and a fix.

The message has one form, at most three lines::

    <where>: <what is wrong, with both types> in <expression> (<file:line>); <what to do>

Each class is also the Python error that a MindSpore program would catch (``ValueError``, ``TypeError`` ...),
so ``except ValueError`` keeps working after the import line is changed.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable


class MinigraphError(Exception):
    """The base class of all errors that minigraph raises on purpose.

    Cause: invalid input, detected before anything changes. Fix: the text after the semicolon says what to do.
    """

    has_mindspore_text = False  # whether the first line of the message is MindSpore's own, which programs may print

    def __init_subclass__(cls) -> None:
        """Show the public module, from which users import the errors, in tracebacks."""
        cls.__module__ = cls.__module__.replace(__name__, "minigraph.errors")


class ShapeError(MinigraphError, ValueError):
    """Shapes that are incompatible with each other or with an attribute.

    Example: ``matmul: inner sizes differ, 3 and 4, in f32[2,3] @ f32[4,5] (net.py:12); transpose ...``.
    Fix: transpose, reshape or broadcast one operand.
    """


class DTypeError(MinigraphError, TypeError):
    """An operand of a dtype or type that the operator does not accept.

    Example: ``softmax: needs a float tensor, got i64[3]``. Fix: ``x.astype(ms.float32)``, or ``Tensor(array)``.
    """


class RangeError(MinigraphError, IndexError):
    """An index, axis or position that is out of range.

    Example: ``index 5 is out of bounds for dimension with size 1``. Fix: use an index inside the printed size.
    """


class AxisError(RangeError, ValueError):
    """An axis that a tensor does not have; both an ``IndexError`` and a ``ValueError``, as numpy's is.

    Example: ``sum: axis 5 does not exist in a tensor of rank 2; use -2 to 1``. Fix: use an axis in the printed range.
    """


class UnknownNameError(MinigraphError, AttributeError, LookupError):
    """A name that is not registered: of an operator, pass, rule, chip, dtype or context key.

    Example: ``no operator 'matmull'; did you mean 'matmul'?`` Fix: the message gives the nearest registered names.
    """


class MissingNameError(UnknownNameError):
    """A name that minigraph, or a Tensor, does not have. The message is built when it is read: ``hasattr`` stays cheap.

    Example: ``minigraph.nn has no 'Dnse' in `nn.Dnse(3, 4)` (net.py:12); did you mean 'Dense'?``
    Fix: the text names the nearest name, or says that MindSpore has this one and minigraph does not.
    """

    def __init__(self, message: str | Callable[[], str]) -> None:
        super().__init__(message)
        self._message = message

    def __str__(self) -> str:
        return self._message if isinstance(self._message, str) else self._message()

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self),), {**vars(self), "_message": str(self)}


class MissingImportError(MinigraphError, ImportError):
    """A name that ``from ... import`` does not find in a module.

    Example: ``minigraph.nn has no 'Dnse' in `from minigraph.nn import Dnse` (net.py:2); did you mean 'Dense'?``
    Fix: the text names the nearest name, or says that MindSpore has this one and minigraph does not.
    """


class DuplicateNameError(MinigraphError, ValueError):
    """A name registered twice.

    Example: ``operator 'add' is already defined at elementwise.py:40; choose another name``.
    Fix: choose another name; records are never replaced silently.
    """


class TraceError(MinigraphError, TypeError):
    """Python code needs the value of a tensor during tracing, before the graph has computed it.

    Example: ``the value of bool[] %7 is unavailable while tracing 'step' (train.py:31)``.
    Fix: compute with operators (``ops.where``), or do it outside of ``@jit``.
    """


class CallError(MinigraphError, RuntimeError):
    """A Python function that a graph calls, such as one of ``ops.Custom``, raised ``self.raised``.

    Example: ``Custom 'cube' raised ValueError: no such power``. Fix: correct the function where the traceback ends.
    """

    raised: Exception | None = None

    def user_error(self) -> Exception:
        """The user's own error, as if the function had been called directly, with the location in a note."""
        if self.raised is None:
            return self
        if str(self) not in getattr(self.raised, "__notes__", ()):
            self.raised.add_note(str(self))
        return self.raised


class CaptureError(MinigraphError, RuntimeError):
    """A function that cannot be captured: arguments, outputs or closures of the wrong kind.

    Example: ``jit 'step': argument 'log' is a file, not a tensor or a hashable static value``.
    Fix: pass tensors, numbers, strings, or tuples, lists and dicts of them.
    """


class GraphError(MinigraphError, RuntimeError):
    """A graph edit that would break the graph; the graph is unchanged.

    Example: ``erase %4: %9 still uses it; replace its uses first``.
    Fix: use the six primitives in an order that keeps every operand alive.
    """


class VerifyError(MinigraphError, RuntimeError):
    """A graph that is not well formed, found by ``verify``.

    Example: ``pass 'fuse' broke the graph: %9 uses %4 before it is computed; ran before: dce, cse``.
    Fix: correct the pass that the message names.
    """


class ParseError(MinigraphError, ValueError):
    """Text that does not parse as a graph or a pipeline.

    Example: ``graph text, line 3: expected ')' after operands: '%2 = add(%0, %1'``. Fix: compare with ``str(graph)``.
    """


class RuleError(MinigraphError, ValueError):
    """A rewrite rule that is invalid in itself or for the nodes it matched.

    Example: ``rule 'matmul_bias' (rules.py:12): 'b' is not in the pattern``.
    Fix: the message names the rule's file:line and the node's source line.
    """


class ChipError(MinigraphError, ValueError):
    """A chip data file with a missing source, an impossible value or an unknown key.

    Example: ``ascend910b1.toml: mte2.lat has no src; every value needs a source``.
    Fix: complete the entry in the file that the text names.
    """


class RenderError(MinigraphError, RuntimeError):
    """A picture format or renderer that is not available.

    Example: ``no renderer for 'pdf'; formats: svg, png, pdf``. Fix: choose a listed format, or install Graphviz.
    """


class CheckpointError(MinigraphError, ValueError, RuntimeError):
    """A checkpoint that is damaged, of another format, or of another network; nothing was loaded.

    Example: ``load_checkpoint: 'net.ckpt' is damaged or no checkpoint: the checksum of 'fc.bias' is wrong``.
    Fix: save it again, or build the network it was saved from.
    """


class ModelError(MinigraphError, ValueError):
    """A model file that is damaged or not supported, or arguments that its network does not take.

    Example: ``net.onnx: Conv node 'c' uses 'x' before Relu node 'r' defines it; sort the nodes``. Fix: export it again.
    """


class UsageError(MinigraphError, ValueError):
    """A wrong argument of the public API or the command line.

    Example: ``explain: no function 'stpe' in net.py; did you mean 'step'?`` Fix: use the nearest valid name.
    """


class ArgValueError(UsageError):
    """A wrong argument, with MindSpore's message and type name (``ValueError``)."""

    has_mindspore_text = True


class ArgTypeError(MinigraphError, TypeError):
    """A wrong argument, with MindSpore's message and type name (``TypeError``)."""

    has_mindspore_text = True


class ArgRuntimeError(MinigraphError, RuntimeError):
    """A wrong argument, with MindSpore's message and type name (``RuntimeError``)."""

    has_mindspore_text = True


class ArgIndexError(RangeError):
    """An index outside of a tensor, with MindSpore's message and type name (``IndexError``)."""

    has_mindspore_text = True


class ArgKeyError(MinigraphError, KeyError):
    """A missing or impossible key, with MindSpore's type name (``KeyError``)."""

    has_mindspore_text, __str__ = True, Exception.__str__  # a KeyError prints its message in quotes


class ArgAttributeError(MinigraphError, AttributeError):
    """A missing attribute, with MindSpore's message and type name (``AttributeError``)."""

    has_mindspore_text = True


class UnboundVarError(CaptureError, UnboundLocalError):
    """A variable that only one branch sets, with MindSpore's message and type name."""

    has_mindspore_text = True


class InfiniteCaptureError(CaptureError):
    """A function whose recursion ends by the value of a tensor: its graph would be infinite.

    Example: ``'halve': 40 branches or loops ... in `halve(x / 2)` (net.py:12); write it as a while``.
    Fix: write it as a ``while``; ``@jit`` runs such a function op by op and warns once.
    """


class IterationLimitError(MinigraphError, RuntimeError):
    """A loop that exceeds the allowed number of iterations, for example on generated inputs.

    Example: ``while_loop: still running after 1,000 iterations``. Fix: give inputs on which it ends.
    """


class BranchShapeError(ShapeError):
    """Branches, or loop iterations, whose values differ in shape, so that one graph cannot represent both.

    Example: ``'y' is f32[3] in one branch and f32[] in the other (net.py:12); ...``.
    Fix: give both branches one shape; ``@jit`` runs such a function op by op and warns once.
    """


# Ported programs print type(error).__name__ with the message; these names keep that line unchanged.
MissingNameError.__name__, MissingImportError.__name__ = "AttributeError", "ImportError"
UnboundVarError.__name__ = "UnboundLocalError"
for _kind in (ArgValueError, ArgTypeError, ArgRuntimeError, ArgIndexError, ArgKeyError, ArgAttributeError):
    _kind.__name__ = _kind.__name__.removeprefix("Arg")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The suggestion at the end of an unknown-name message: the nearest known name, or all if none is near.

    >>> did_you_mean("matmull", ["matmul", "add"]), did_you_mean("zzz", ["dce", "cse"])
    ("; did you mean 'matmul'?", '; known: cse, dce')
    """
    names = sorted(known)
    if suggestion := nearest(name, names):
        return f"; did you mean '{suggestion}'?"
    return "; known: " + ", ".join(names[:20]) + (", ..." if len(names) > 20 else "") if names else ""


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name that is most similar to another, or ``None``; ``cutoff`` is the least similarity, from 0 to 1.

    >>> nearest("matmull", ["matmul", "add"]), nearest("zzz", ["add"])
    ('matmul', None)
    """
    return next(iter(difflib.get_close_matches(str(name), known, n=1, cutoff=cutoff)), None)
