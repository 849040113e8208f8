"""The workbench as a notebook widget, with ``anywidget`` of the extra ``widget``."""

from __future__ import annotations

from importlib.resources import files
from importlib.util import find_spec
from typing import Any, Protocol


class Bench(Protocol):
    """The interface of a workbench that the widget uses."""

    def run(self, pipeline: str) -> Any:
        """The result of a pipeline."""

    def page(self, mode: str) -> str:
        """The page."""


def notebook_widget(bench: Bench) -> Any:
    """A widget that runs pipelines in this process; ``None`` without ``anywidget``."""
    if find_spec("anywidget") is None:
        return None
    import anywidget  # noqa: PLC0415 - an extra
    import traitlets  # noqa: PLC0415

    class WorkbenchWidget(anywidget.AnyWidget):
        """The page in a frame; each action is one message with its answer."""

        _esm = (files("viz.editor") / "widget.js").read_text(encoding="utf-8")
        page = traitlets.Unicode().tag(sync=True)

        def __init__(self) -> None:
            super().__init__(page=bench.page("widget"))
            self.on_msg(self._answer)

        def _answer(self, _widget: object, content: Any, _buffers: object) -> None:
            self.send({"ticket": content.get("ticket"), "answer": bench.run(str(content.get("pipeline")))})

    return WorkbenchWidget()
