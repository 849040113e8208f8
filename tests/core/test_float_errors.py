import numpy as np
import pytest

from minigraph.core import float_errors
from minigraph.core.float_errors import call_ignoring_float_errors


@pytest.mark.parametrize("values", [float_errors._VALUES, {}], ids=["variables", "numpy 1"])
def test_settings_hold_during_the_call_only(values, monkeypatch):
    monkeypatch.setattr(float_errors, "_VALUES", values)
    with np.errstate(over="raise", divide="print"):
        before = np.geterr()
        assert {*call_ignoring_float_errors(np.geterr).values()} == {"ignore"}
        with pytest.raises(ZeroDivisionError):
            call_ignoring_float_errors(divmod, 1, 0)
        assert np.geterr() == before
