"""The workbench as a notebook widget, with ``anywidget`` of the extra ``widget``."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, Protocol

from viz.explore.pack import Json


class WorkbenchLike(Protocol):
    """The methods of a workbench that the widget calls."""

    def run(self, pipeline: str) -> Json:
        """The result of a pipeline as JSON data."""

    def page(self, mode: str) -> str:
        """The page as HTML."""


def notebook_widget(bench: WorkbenchLike) -> Any:
    """An ``anywidget.AnyWidget`` that runs pipelines in this process; ``None`` if ``anywidget`` is not installed."""
    if find_spec("anywidget") is None:
        return None
    import anywidget  # noqa: PLC0415 - an extra
    import traitlets  # noqa: PLC0415

    class WorkbenchWidget(anywidget.AnyWidget):
        """The page in a frame, which sends a request for each action and receives one response with the same id."""

        _esm = (files("viz.editor") / "widget.js").read_text(encoding="utf-8")
        page = traitlets.Unicode().tag(sync=True)

        def __init__(self) -> None:
            super().__init__(page=bench.page("widget"))
            self.on_msg(self._respond)

        def _respond(self, _widget: object, request: Mapping[str, object], _buffers: object) -> None:
            self.send({"id": request.get("id"), "response": bench.run(str(request.get("pipeline")))})

    return WorkbenchWidget()
