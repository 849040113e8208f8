"""From plans to time, instruction by instruction: programs, the queues that run them, and their accounts."""

from minigraph.npu.engine.lower import program_of
from minigraph.npu.engine.program import Program
from minigraph.npu.engine.queues import run

__all__ = ["Program", "program_of", "run"]
