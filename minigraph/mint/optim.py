"""``mindspore.mint.optim``: optimizers of ``experimental.optim``.

>>> import minigraph as ms
>>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
>>> print(ms.mint.optim.Adam([w], lr=0.1)((ms.Tensor([3.0]),)), w.value())
True [0.9]
"""

from minigraph.experimental.optim import SGD, Adam, AdamW

__all__ = ["SGD", "Adam", "AdamW"]
