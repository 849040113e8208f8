"""Nearly everything that ``minigraph`` offers, imported while the garbage collector pauses; to be imported first.

An import makes half a million objects, none of them garbage. Looking for some would take a fifth of its time.
"""

import gc
import importlib

from minigraph.ground.collector import collector_paused

with collector_paused():
    importlib.import_module("minigraph.common")
    if not gc.get_freeze_count():  # what is here now counts as old, so that no look at it follows at once
        gc.freeze()
        gc.unfreeze()
