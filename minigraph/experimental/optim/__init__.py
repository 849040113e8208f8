"""``mindspore.experimental.optim``: optimizers whose ``param_groups`` hold all settings, also the learning rate.

>>> import minigraph as ms
>>> from minigraph.experimental import optim
>>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
>>> optimizer = optim.SGD([w], lr=0.5)
>>> scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
>>> for _ in range(2):
...     _ = optimizer((ms.Tensor([1.0]),))
...     scheduler.step()
>>> print(w.value(), scheduler.get_last_lr())
[0.25] [Tensor(shape=[], dtype=Float32, value= 0.125)]
"""

from minigraph.experimental.optim import lr_scheduler
from minigraph.experimental.optim.adam import Adam, Adamax, AdamW, NAdam, RAdam
from minigraph.experimental.optim.descent import ASGD, SGD, Adadelta, Adagrad, RMSprop, Rprop
from minigraph.experimental.optim.optimizer import Optimizer

__all__ = [
    "ASGD", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam", "RMSprop", "Rprop",
    "lr_scheduler",
]  # fmt: skip
