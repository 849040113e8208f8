"""Compiling a Cell ahead of its first call, and the inputs that MindSpore's programs declare."""

from __future__ import annotations

from typing import Any

from minigraph.compilation import Jitted
from minigraph.compilation.options import CELL_PROGRAM, check_function
from minigraph.core.aliases import PyTree
from minigraph.core.errors import ArgValueError

INPUTS = "declared inputs"  # where a Cell keeps them


class CompilableCell:
    """The methods of a Cell that compile it, or declare its inputs."""

    _compiled: Jitted | None

    def set_inputs(self, *inputs: object, **kwargs: object) -> None:
        """Declares the inputs, by position or by the names of arguments of ``construct``; ``get_inputs`` returns them.

        In MindSpore, sizes that are ``None`` make a shape dynamic; minigraph compiles the Cell for every shape that it
        is called with, so that the declaration has no effect. Raises ``ValueError`` for both kinds of inputs.

        >>> from minigraph import Tensor, nn
        >>> net = nn.ReLU()
        >>> net.set_inputs(Tensor([1.0]))
        >>> net.get_inputs()
        (Tensor(shape=[1], dtype=Float32, value= [ 1.00000000e+00]),)
        """
        if inputs and kwargs:
            raise ArgValueError("For 'set_inputs', the inputs must be all positional or all named, got both")
        vars(self)[INPUTS] = dict(kwargs) if kwargs else inputs

    def get_inputs(self) -> Any:
        """The inputs declared by ``set_inputs``, else ``None``."""
        return vars(self).get(INPUTS)

    def compile(self, *args: PyTree, **kwargs: PyTree) -> None:
        """Captures, optimises and compiles the Cell for inputs of these types; calls in Graph mode then reuse it.

        >>> from minigraph import Tensor, nn
        >>> net = nn.ReLU()
        >>> net.compile(Tensor([1.0, -1.0]))
        """
        self.compiled_program().program(*args, **kwargs)

    def compile_and_run(self, *args: PyTree, **kwargs: PyTree) -> PyTree:
        """The result of the compiled Cell, in every mode.

        >>> from minigraph import Tensor, nn
        >>> print(nn.ReLU().compile_and_run(Tensor([1.0, -1.0])))
        [1. 0.]
        """
        return self.compiled_program()(*args, **kwargs)

    def compiled_program(self) -> Jitted:
        """The Cell as a compiled function, which keeps one program per combination of input types."""
        if self._compiled is None:
            check_function(self)
            vars(self)["_compiled"] = Jitted(self, CELL_PROGRAM, title=type(self).__name__)  # type: ignore[arg-type]
        assert self._compiled is not None
        return self._compiled
