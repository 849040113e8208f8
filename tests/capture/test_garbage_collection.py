"""Garbage collections in the middle of capture."""

import gc
import threading

from minigraph.capture.garbage_collection import is_collecting, last_collection


def test_a_collection_is_seen_by_the_thread_that_makes_it_only():
    seen = []

    class Finalized:
        def __init__(self):
            self.itself = self

        def __del__(self):
            seen.append(is_collecting())
            other = threading.Thread(target=lambda: seen.append(is_collecting()))
            other.start()
            other.join()

    Finalized()
    before = last_collection()
    gc.collect()
    assert seen == [True, False]
    assert not is_collecting() and last_collection() is not before
