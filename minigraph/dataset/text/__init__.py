"""Operations for ``map`` on strings, and vocabularies."""

from minigraph.core.missing_names import text_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.dataset.text import bert, normalization, sequences, tokenizers, vectors, vocabulary
from minigraph.dataset.text.bert import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.text.normalization import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.text.sequences import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.text.tokenizers import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.text.vectors import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.text.vocabulary import *  # noqa: F403 - the names of its ``__all__``

__all__ = [  # noqa: PLE0604 - strings
    *bert.__all__, *normalization.__all__, *sequences.__all__, *tokenizers.__all__, *vectors.__all__,
    *vocabulary.__all__,
]  # fmt: skip
