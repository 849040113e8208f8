"""``mstx``: marks in a trace."""

from __future__ import annotations

from minigraph.profiler.recording import ACTIVE_PROFILES


class mstx:
    """Marks in the trace of every open ``profile``; streams have no effect."""

    @staticmethod
    def mark(message: str, stream: object = None, domain: str = "default") -> None:
        """Mark this point in time."""
        for prof in list(ACTIVE_PROFILES):
            prof.add_mark(message)

    @staticmethod
    def range_start(message: str, stream: object = None, domain: str = "default") -> int:
        """Mark the start of a range; its number is 0, as in MindSpore on a CPU."""
        mstx.mark(message)
        return 0

    @staticmethod
    def range_end(range_id: int, domain: str = "default") -> None:
        """Nothing: ranges are those of a device."""
