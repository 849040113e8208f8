"""The event engine: plans lowered to instruction streams, and the discrete-event simulation that runs them."""

from minigraph.npu.engine.lower import program_of
from minigraph.npu.engine.program import Program
from minigraph.npu.engine.queues import run

__all__ = ["Program", "program_of", "run"]
