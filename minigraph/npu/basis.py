"""What a prediction rests on: the chip, the host, the bands of kernels, and the device memory that it supposes.

Every report, sheet, file and picture takes its what-if, its grade and its note on memory from here.
"""

from __future__ import annotations

from typing import NamedTuple

from minigraph.ir.graph_reader import GraphReader
from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.efficiency import band_changes
from minigraph.npu.host import DEFAULT_HOST, Host, host_named
from minigraph.npu.residency import device_bytes


class Basis(NamedTuple):
    """The basis of a prediction. ``needed``: bytes of device memory that the graph needs at least."""

    chip: Chip
    host: Host
    needed: int = 0

    @property
    def what_if(self) -> str:
        """The changed parameters of the chip, of the host and of the bands of kernels; empty if none is."""
        return ", ".join(filter(None, (self.chip.what_if, self.host.what_if, self._band_changes)))

    @property
    def memory(self) -> str:
        """Why the graph does not fit the chip's device memory; empty if it does."""
        return memory_note(self.chip, self.needed)

    @property
    def label(self) -> str:
        """The chip with its grade; the host and the bands of kernels if they are what-ifs; the memory if too small."""
        return ", ".join([self.chip.label, *self._further_what_ifs, *filter(None, [self.memory])])

    @property
    def calibration(self) -> str:
        """Whether the chip is calibrated, nominal or a what-if, and why; host and bands if they are what-ifs."""
        return "; ".join([self.chip.calibration, *self._further_what_ifs])

    @property
    def _band_changes(self) -> str:
        """The changed bands of kernels, which only chips with split cores have."""
        return band_changes() if self.chip.family == "split" else ""

    @property
    def _further_what_ifs(self) -> list[str]:
        host = [f"host {self.host.label}"] * bool(self.host.what_if)
        return host + [f"bands of kernels (what-if: {self._band_changes})"] * bool(self._band_changes)


def basis_of(graph: GraphReader, chip: str | Chip | None = None, host: str | Host = DEFAULT_HOST) -> Basis:
    """The basis of a prediction for a graph.

    >>> from minigraph import Tensor, trace
    >>> basis_of(trace(lambda x: x * x, Tensor([1.0, 2.0])), "ascend310").label
    'Ascend 310 (nominal)'
    """
    return Basis(chip_named(chip), host_named(host), device_bytes(graph, graph.topological()))


def memory_note(chip: Chip, needed: int) -> str:
    """Why ``needed`` bytes do not fit the chip's device memory; empty if they do.

    >>> memory_note(chip_named("ascend310"), 68_700_000_000)
    'does not fit: it needs at least 68.7 GB of device memory, and the chip has 8.6 GB'
    """
    if needed <= chip.buf.gm:
        return ""
    sizes = f"{needed / 1e9:,.1f} GB of device memory, and the chip has {chip.buf.gm / 1e9:,.1f} GB"
    return f"does not fit: it needs at least {sizes}"
