from minigraph.core.errors import ChipError, UnknownNameError, UsageError
from minigraph.npu import chip_named
from minigraph.npu.sweeps.axes import Axis
from minigraph.npu.sweeps.space import Point, space_of
from tests.tables import error_cases

AXES = [Axis("mte2.lat", (150, 190)), Axis("pool.gm", (0.8, 1.0, 1.2))]


def test_every_combination_once_and_always_in_one_order():
    space = space_of(["a", "b"], ["default", ""], ["ascend910b1", "ascend310"], AXES)
    points = list(space)
    assert len(points) == len(set(points)) == space.size == 2 * 2 * 2 * 2 * 3
    assert points == list(space)
    assert points[0] == Point("a", "default", "ascend910b1", (150, 0.8))
    assert points[-1] == Point("b", "", "ascend310", (190, 1.2))


def test_the_chip_of_a_point_has_its_values_and_the_registered_chip_is_unchanged():
    plain, space = space_of(["a"], [""], ["ascend310"]), space_of(["a"], [""], ["ascend910b1"], AXES)
    assert [point.values for point in plain] == [()]
    assert plain.chip_at(next(iter(plain))) is chip_named("ascend310")
    chip = space.chip_at(Point("a", "", "ascend910b1", (150, 1.2)))
    assert (chip.mte2.lat, chip.pool.gm) == (150, 1.2)
    assert chip_named("ascend910b1").mte2.lat != 150
    changed = chip_named("ascend910b1").replace(mte2_lat=99)
    assert space_of(["a"], [""], [changed]).chips == {"ascend910b1": changed}


test_an_invalid_space_raises = error_cases(
    ((["a"], [""], ["ascend910b"]), UnknownNameError, "did you mean 'ascend910b4'"),
    ((["a"], [""], ["ascend310"], [Axis("mte3.lat_", (1,))]), ChipError, "did you mean 'mte3.lat'"),
    (([], [""], ["ascend310"]), UsageError, "no model"),
    ((["a\ud800"], [""], ["ascend310"]), UsageError, "no text that a table can hold"),
    ((["a" * 140_000], [""], ["ascend310"]), UsageError, "'aaa.* is no text that a table can hold"),
    ((["a"], [], ["ascend310"]), UsageError, "no pipeline"),
    ((["a"], [""], []), UsageError, "no chip"),
    ((["a", "a"], [""], ["ascend310"]), UsageError, "model 'a' is given twice"),
    ((["a"], ["", ""], ["ascend310"]), UsageError, "pipeline '' is given twice"),
    ((["a"], [""], ["ascend310", "ascend310"]), UsageError, "chip 'ascend310' is given twice"),
    ((["a"], [""], ["ascend310"], [AXES[0], AXES[0]]), UsageError, r"parameter 'mte2\.lat' is given twice"),
    by=lambda arguments: space_of(*arguments),
)


def test_a_chip_with_other_parameters_is_a_what_if():
    latency = chip_named("ascend910b1").mte2.lat
    space = space_of(["a"], [""], ["ascend910b1", "ascend310"], [Axis("mte2.lat", (latency, latency + 1))])
    nominal = chip_named("ascend310").mte2.lat
    grades = [space.grade_at(point) for point in space]
    assert grades[:2] == ["calibrated", f"what-if: mte2.lat {latency} -> {latency + 1}"]
    assert (grades[2], grades[3]) == ("nominal", f"what-if: mte2.lat {nominal} -> {latency + 1}")
    plain = space_of(["a"], [""], ["ascend910b1", "ascend310"])
    assert [plain.grade_at(point) for point in plain] == ["calibrated", "nominal"]
