"""``mindspore.mint``: the functions of ``ops`` under PyTorch's argument names and defaults.

>>> import minigraph as ms
>>> print(ms.mint.sum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0, keepdim=True))
[[4. 6.]]
"""

from minigraph.mint import function_table, linalg, nn, optim, special
from minigraph.mint.function_table import *  # noqa: F403 - the names of its ``__all__``
from minigraph.mint.function_table import mint_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.mint.nn.functional import conv2d, flatten

__all__ = ["conv2d", "flatten", "linalg", "nn", "optim", "special", *function_table.__all__]  # noqa: PLE0604 - strings
