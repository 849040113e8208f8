"""``from_torch``: the public function that imports programs of ``torch.export``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from minigraph.core.context import resolve
from minigraph.core.errors import ModelError, UnknownNameError, UsageError
from minigraph.core.scope_guard import raise_external_error
from minigraph.importers.network import ImportedNetwork
from minigraph.importers.torch.reader import read_program

PRESERVED_OPERATORS = (
    "detach",
    "linalg_vector_norm",
    "sinc",
    "std",
    "xlogy",
)  # operators whose decompositions have other gradients
NOT_DECOMPOSED = "TRAINING"  # the dialect of programs with operators outside of Core ATen


def from_torch(program: Any, dims: Mapping[str, int] | None = None) -> ImportedNetwork:
    """The network of a ``torch.export.ExportedProgram``, or of a file to which one was saved, as a Cell.

    The module's weights become Parameters of the same names, and share their memory; its buffers are Parameters that
    are not trained. Nodes keep the user's source lines, and the modules as scopes. Call the network with the tensors
    that the program takes, in their order; it returns one Tensor or a tuple. ``dims`` gives sizes for symbolic dims of
    the inputs. A program that is not in Core ATen is decomposed first, which takes torch seconds. A saved program is
    opened by torch: open only files that you trust.

    Gradients are torch's, also where a derivative is not defined. A program that you have decomposed has the gradients
    of its decompositions, as in torch: of a norm at zero NaN, and through ``detach`` as through any other operator.

    Raises ``UnknownNameError`` for an operator that minigraph lacks, with its node and the nearest one, ``ModelError``
    for anything else in the program that minigraph cannot represent, ``UsageError`` if torch is not installed.
    """
    if isinstance(program, str | os.PathLike):
        program = _saved_program(os.fspath(program))
    if not hasattr(program, "graph_signature"):
        text = f"from_torch: got {type(program).__name__}"
        raise ModelError(f"{text}; pass the ExportedProgram that torch.export.export(module, args) returns")
    if program.dialect == NOT_DECOMPOSED:
        program = program.run_decompositions(_decompositions())
    return ImportedNetwork(read_program(program), dims)


def _decompositions() -> Any:
    """torch's decompositions without those whose gradients differ from the operator's, as that of a norm at zero."""
    table = resolve("torch.export:default_decompositions")()
    for name in PRESERVED_OPERATORS:
        packet = getattr(resolve("torch.ops:aten"), name)
        for overload in packet.overloads():
            table.pop(getattr(packet, overload), None)
    return table


def _saved_program(path: str) -> Any:
    try:
        load = resolve("torch.export:load")
    except UnknownNameError:
        raise UsageError("from_torch: torch is not installed; pip install 'minigraph[torch]'") from None
    try:
        return load(path)
    except Exception as error:  # whatever torch raises for a file that it cannot read
        raise_external_error(error)
        reason = " ".join(str(error).split())[:200]
        raise ModelError(f"from_torch: '{path}' cannot be read: {type(error).__name__}: {reason}") from None
