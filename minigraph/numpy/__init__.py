"""``ms.numpy``: the functions of ``ops`` with numpy's names and arguments; lists and numbers are converted to tensors.

As in MindSpore, integers are Int32 here, while ``Tensor`` and ``ops`` use Int64.

>>> from minigraph import numpy as mnp
>>> mnp.randn(32, 10).shape
(32, 10)
>>> print(mnp.mean([[1.0, 2.0], [3.0, 4.0]], axis=0))
[2. 3.]
"""

from minigraph.numpy.array_manipulation import *  # noqa: F403 - each of these modules lists its names
from minigraph.numpy.array_padding import *  # noqa: F403
from minigraph.numpy.correlation import *  # noqa: F403
from minigraph.numpy.creation import *  # noqa: F403
from minigraph.numpy.diagonals import *  # noqa: F403
from minigraph.numpy.differences import *  # noqa: F403
from minigraph.numpy.dtypes import *  # noqa: F403
from minigraph.numpy.elementwise import *  # noqa: F403
from minigraph.numpy.elementwise import numpy_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.numpy.functional_programming import *  # noqa: F403
from minigraph.numpy.grids import *  # noqa: F403
from minigraph.numpy.histograms import *  # noqa: F403
from minigraph.numpy.indexing import *  # noqa: F403
from minigraph.numpy.joining import *  # noqa: F403
from minigraph.numpy.linalg import *  # noqa: F403
from minigraph.numpy.polynomials import *  # noqa: F403
from minigraph.numpy.random_sampling import *  # noqa: F403
from minigraph.numpy.reduction import *  # noqa: F403
from minigraph.numpy.sets import *  # noqa: F403
