"""``ms.numpy``: the functions of ``ops`` under numpy's names and with its arguments; lists and numbers are tensors.

Whole numbers are Int32 here, where ``Tensor`` and ``ops`` make them Int64: MindSpore does, too.

>>> from minigraph import numpy as mnp
>>> mnp.randn(32, 10).shape
(32, 10)
>>> print(mnp.mean([[1.0, 2.0], [3.0, 4.0]], axis=0))
[2. 3.]
"""

from minigraph.core.missing import in_numpy as __getattr__  # noqa: F401 - Python calls it
from minigraph.numpy.choosing import *  # noqa: F403 - each of these modules lists its names
from minigraph.numpy.counting import *  # noqa: F403
from minigraph.numpy.curves import *  # noqa: F403
from minigraph.numpy.draws import *  # noqa: F403
from minigraph.numpy.elementwise import *  # noqa: F403
from minigraph.numpy.grids import *  # noqa: F403
from minigraph.numpy.joining import *  # noqa: F403
from minigraph.numpy.kinds import *  # noqa: F403
from minigraph.numpy.making import *  # noqa: F403
from minigraph.numpy.padding import *  # noqa: F403
from minigraph.numpy.products import *  # noqa: F403
from minigraph.numpy.reductions import *  # noqa: F403
from minigraph.numpy.sets import *  # noqa: F403
from minigraph.numpy.shaping import *  # noqa: F403
