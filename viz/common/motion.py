"""How pictures move: one kind of element, and what is seen of them by whoever wants nothing to move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from viz.common.elements import element

# Of a moving picture: the veil over what has not happened yet, the line at its edge, lamps, pictures but the last.
REDUCED_MOTION_CSS = (
    "@media (prefers-reduced_motion_style-motion: reduce) { .veil, .sweep, .glow, .frame:not(.last) { display: none; } "
    ".frame.last { visibility: visible !important; } }"
)


class Motion(NamedTuple):
    """How the picture moves: how long one run takes (seconds), how often it runs (0 = for ever), who is clicked."""

    seconds: float
    repeats: int
    name: str

    def animate(self, attribute: str, values: Sequence[object], times: Sequence[float], mode: str = "discrete") -> str:
        """The element that moves an attribute of the element it stands in."""
        return element(
            "animate",
            attributeName=attribute,
            values=";".join(map(str, values)),
            keyTimes=";".join(f"{time:.4f}".rstrip("0").rstrip(".") for time in times),
            calcMode=mode,
            dur=f"{self.seconds:g}s",
            begin=f"0s;{self.name}.click",
            repeatCount=self.repeats or "indefinite",
        )


def reduced_motion_style() -> str:
    """The style of a picture of its own that stands still where the reader's system asks for that."""
    return f"<style>{REDUCED_MOTION_CSS}</style>"
