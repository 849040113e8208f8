"""``mindspore.experimental``: optimizers with parameter groups, and the schedulers of their learning rates."""

from minigraph.experimental import optim

__all__ = ["optim"]
