"""Parameters: an invalid value raises, with file and key."""

import pytest

from minigraph.core.errors import ChipError
from minigraph.npu.chips.hardware_parameter import GRADES, HardwareParameter
from minigraph.npu.chips.registry import chip_named

VALID = HardwareParameter(4.0, "a page", "D", 2.0, 8.0)


@pytest.mark.parametrize("grade", GRADES)
def test_a_parameter_with_provenance_is_accepted_and_some_may_be_0(grade):
    VALID._replace(grade=grade).checked("mine.toml", "mte2.lat", whole=True)
    HardwareParameter(0, "a page", "S", 0, 0).checked("mine.toml", "task.online", may_be_zero=True)


@pytest.mark.parametrize("change, message", [
    ({"src": " "}, "has no src"), ({"src": None}, "has no src"), ({"grade": "A"}, "has grade 'A'; use one of D, S"),
    ({"grade": "DS"}, "has grade 'DS'"), ({"v": -1.0}, "is -1; use a positive finite"), ({"v": 0.0}, "is 0; use"),
    ({"v": float("nan")}, "is nan; use a number"), ({"v": True}, "is True; use a number"), ({"v": "4"}, "is '4'; use"),
    ({"v": float("inf")}, "is inf; use a positive finite"), ({"v": 4.5}, "is 4.5; use a whole number"),
    ({"lo": 5.0}, r"is 4, outside of its band 5\.\.8"), ({"hi": float("inf")}, r"is 4, outside of its band 2\.\.inf"),
])  # fmt: skip
def test_an_invalid_parameter_raises_with_file_and_key(change, message):
    with pytest.raises(ChipError, match=rf"^mine.toml: mte2.lat {message}"):
        VALID._replace(**change).checked("mine.toml", "mte2.lat", whole=True)


def test_a_whole_number_is_an_int():
    cores = VALID._replace(v=24.0, lo=24.0, hi=24.0).checked("mine.toml", "cores.aic", whole=True)
    assert type(cores.v) is int
    assert type(chip_named("ascend910b1").replace(cores_aic=12.0).cores.aic) is int
    assert type(VALID._replace(v=24.0, lo=24.0, hi=24.0).checked("mine.toml", "pool.gm").v) is float
