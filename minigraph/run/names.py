"""What things are called in the text of a program.

No text of the user's reaches the compiler as code: names are counted, or those of operators if they are plain words.
"""

from __future__ import annotations

from functools import partial
from itertools import repeat
from typing import Any

import numpy as np

from minigraph.run.arrays import in_order, own
from minigraph.run.steps import Plan, Step
from minigraph.run.threads import side_by_side
from minigraph.run.wording import plain_name
from minigraph.types import TensorType

Slot = tuple[int, TensorType]  # a buffer, and as what it is looked at


class Names:
    """The names of a plan's values, buffers, kernels and constants; ``namespace`` has the last two."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.namespace: dict[str, Any] = {f"v{s.value}": s.payload for s in plan.sources if s.role == "const"}
        self.namespace |= {"own": own, "empty": np.empty, "side_by_side": side_by_side, "in_order": in_order}
        self.namespace |= {"map": map, "repeat": repeat, "zip": zip}
        self.types = plan.types if plan.blocks else {}
        self._kernels: dict[Any, str] = {}
        self._slots: dict[Slot, str] = {}
        self._names: dict[int, str] = {}
        self._own: set[int] = set()  # values that are arrays of their own whatever happens

    def _slot(self, value: int, type: TensorType) -> str:
        """The buffer that a value is written into, as an array of a type, or the view."""
        view = self.plan.places.get(value)
        own = self._slot_of((self.plan.buffer_of[value], type)) if view is None else self._name(view)
        self._names[value] = own
        return own

    def _slot_of(self, slot: Slot) -> str:
        name = self._slots.get(slot)
        if name is None:
            name = self._slots[slot] = f"b{len(self._slots)}"
        return name

    def _leaving(self, value: int) -> str:
        """A value that the caller gets."""
        return self._name(value) if value in self._own else f"own({self._name(value)})"

    def _name(self, value: int) -> str:
        return self._names.get(value) or f"v{value}"

    def _kernel(self, step: Step, bare: Any) -> str:
        """The name of what a line calls: a kernel that asks nothing where layouts are known, else the forward."""
        forward = bare or getattr(step.op.forward, "__wrapped__", step.op.forward)  # dtypes were looked at long ago
        key = id(forward) if bare or not step.attrs else (step.op.name, len(self._kernels))
        name = self._kernels.get(key)
        if name is None:
            name = self._kernels[key] = self._free_name(step.op.name)
            self.namespace[name] = partial(forward, **step.attrs) if step.attrs and not bare else forward
        return name

    def _free_name(self, wanted: str) -> str:
        """The operator's name as the name of a function, with a number unless it is free."""
        stem = plain_name(wanted)
        return f"{stem}_{len(self._kernels)}" if stem in self.namespace else stem

    def _constant(self, stem: str, value: Any) -> str:
        """A name for a value that the program keeps."""
        name = f"{stem}{len(self.namespace)}"
        self.namespace[name] = value
        return name
