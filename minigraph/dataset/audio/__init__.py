"""Operations for ``map`` on waveforms [..., time] and spectra [..., frequency, time]."""

from minigraph.core.missing_names import audio_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.dataset.audio import enums, features, filters, masks, mel, spectra, waveforms
from minigraph.dataset.audio.enums import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.audio.features import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.audio.filters import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.audio.masks import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.audio.mel import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.audio.spectra import *  # noqa: F403 - the names of its ``__all__``
from minigraph.dataset.audio.waveforms import *  # noqa: F403 - the names of its ``__all__``

__all__ = [  # noqa: PLE0604 - strings
    *enums.__all__, *features.__all__, *filters.__all__, *masks.__all__, *mel.__all__, *spectra.__all__,
    *waveforms.__all__,
]  # fmt: skip
