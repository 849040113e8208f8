import gc

import pytest

from minigraph.core.garbage_collection import without_garbage_collection


@pytest.mark.parametrize("before", [True, False])
def test_the_collector_is_restored_after_an_error_too(before):
    try:
        (gc.enable if before else gc.disable)()
        with pytest.raises(ZeroDivisionError):
            without_garbage_collection(lambda: 1 / gc.isenabled())()
        assert gc.isenabled() is before
    finally:
        gc.enable()
