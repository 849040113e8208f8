import numpy as np

from minigraph.core.errors import ChipError, UsageError
from minigraph.npu import chip_named
from minigraph.npu.sweeps.axes import Axis, axis_of, axis_with, parse_number
from tests.tables import cases, error_cases

CHIP = chip_named("ascend910b1")


@cases(
    ("mte2.lat=150:250:25", (150, 175, 200, 225, 250)),
    ("mte2.lat=250:150:-50", (250, 200, 150)),
    ("mte2.lat=150:260:50", (150, 200, 250)),
    ("mte2.lat=150:150:1", (150,)),
    ("mte2.lat = 150 , 250", (150, 250)),
    ("mte2.lat=150,150,190", (150, 190)),
    ("pool.gm=1.5", (1.5,)),
    ("pool.gm=0.1:0.7:0.1", (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)),
    ("pool.gm=1e-1:0.3:1e-1", (0.1, 0.2, 0.3)),
)
def test_a_text_is_parsed(text, values):
    axis = axis_of(text)
    assert axis == (text.partition("=")[0].strip(), values)
    assert [type(value) for value in axis.values] == [type(value) for value in values]


test_a_syntax_error_raises_with_an_example = error_cases(
    "mte2.lat", "mte2.lat=", "mte2.lat=a", "mte2.lat=1:2", "mte2.lat=1:2:3:4", "mte2.lat=1,,2", "mte2.lat=nan",
        "mte2.lat=inf", "mte2.lat=1:1e999999:1", "mte2.lat=1:20:1e-999999", "=",
    by=axis_of, error=UsageError, text=r"for example mte2\.lat=150:250:25",
)  # fmt: skip


test_invalid_ranges_raise = error_cases(
    ("a.b=1:5:0", "never reaches the end from 1 to 5"),
    ("a.b=1:5:-1", "never reaches"),
    ("a.b=0:1:1e-9", "more than 100,000"),
    by=axis_of,
    error=UsageError,
)


def test_values_become_python_numbers_that_round_trip_and_change_a_chip():
    axis = axis_with("pool.gm", np.array([0.5, 1.5]))
    assert [repr(value) for value in axis.values] == ["0.5", "1.5"]
    for value in (150, 150.0, 0.1, 1e-7, 1e22, -3):
        assert repr(parse_number(repr(value))) == repr(value)
    assert Axis("mte2.lat", (150,)).chip_with(CHIP, 150).mte2.lat == 150
    assert Axis("cube.k_f16", (8,)).chip_with(CHIP, 8).cube.k_f16 == 8


test_an_axis_without_values_raises = error_cases(
    [], ["fast"], 3, by=lambda values: axis_with("pool.gm", values), error=UsageError, text=r"pool\.gm"
)


test_invalid_parameters_and_values_raise = error_cases(
    (Axis("mte2.latt", (150,)), "no parameter 'mte2.latt'; did you mean 'mte2.lat'"),
    (Axis("mte2_lat", (150,)), "no parameter 'mte2_lat'; did you mean 'mte2.lat'"),
    (Axis("mte2.lat", (150, -1)), "mte2.lat is -1; use a positive finite"),
    (Axis("mte2.lat", (150.5,)), "use a whole number"),
    (Axis("mte2.lat", (True,)), "use a number"),
    by=lambda axis: axis.check(CHIP),
    error=ChipError,
)
