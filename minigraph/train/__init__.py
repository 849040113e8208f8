"""Training loops: the Cells that make one step."""

from minigraph.nn.wrap import TrainOneStepCell, WithLossCell

__all__ = ["TrainOneStepCell", "WithLossCell"]
