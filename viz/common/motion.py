"""SVG (SMIL) animation, and its static form for users who prefer reduced motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from viz.common.elements import element

# Elements that are hidden without motion: the cover over future events, the playhead at its edge, indicators that glow,
# and all frames but the last.
REDUCED_MOTION_CSS = (
    "@media (prefers-reduced-motion: reduce) { .cover, .playhead, .glow, .frame:not(.last) { display: none; } "
    ".frame.last { visibility: visible !important; } }"
)


class Motion(NamedTuple):
    """An animation: seconds per run, number of runs (0: forever), the id of the element that restarts it on a click."""

    seconds: float
    repeats: int
    element_id: str

    def animate(self, attribute: str, values: Sequence[object], times: Sequence[float], mode: str = "discrete") -> str:
        """The element ``<animate>`` for an attribute of its parent: ``values`` at ``times``, fractions of a run.

        ``mode`` is SMIL's ``calcMode``: "discrete" or "linear".
        """
        return element(
            "animate",
            attributeName=attribute,
            values=";".join(map(str, values)),
            keyTimes=";".join(f"{time:.4f}".rstrip("0").rstrip(".") for time in times),
            calcMode=mode,
            dur=f"{self.seconds:g}s",
            begin=f"0s;{self.element_id}.click",
            repeatCount=self.repeats or "indefinite",
        )


def reduced_motion_style() -> str:
    """The style element for a standalone picture that stays static if the system prefers reduced motion."""
    return f"<style>{REDUCED_MOTION_CSS}</style>"
