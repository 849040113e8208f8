from minigraph.npu.sweeps.axes import axis_with
from minigraph.npu.sweeps.effects import effects_around
from minigraph.npu.sweeps.pareto import best_points, front_lines
from minigraph.npu.sweeps.space import Point, space_of
from minigraph.npu.sweeps.table import Row, Table
from minigraph.npu.sweeps.work_item import Metrics

CHIPS = ("ascend310", "ascend910a", "ascend910b1", "ascend910b2")


def table_of(times, values=(1, 2)):
    """A table of one model with (us, peak TFLOP/s) by chip and value."""
    space = space_of(["net"], ["default"], CHIPS, [axis_with("mte2.lat", values)])
    table = Table(space, {})
    for (chip, value), (us, peak) in times.items():
        metrics = Metrics(1, int(us * 1000), us, us, us, us, 0.0, 0.0, peak, 0, "nominal")
        table.add(Point("net", "default", chip, (value,)), Row(metrics, ""))
    return table


def test_the_fastest_point_of_each_chip_fastest_first():
    table = table_of({
        ("ascend310", 1): (90.0, 10.0), ("ascend310", 2): (80.0, 10.0), ("ascend910a", 1): (50.0, 200.0),
        ("ascend910a", 2): (60.0, 200.0), ("ascend910b1", 1): (50.0, 300.0), ("ascend910b2", 1): (20.0, 300.0),
    })  # fmt: skip
    best = best_points(table, "net")
    assert [(row.point.chip, row.point.values) for row in best] == [
        ("ascend910b2", (1,)), ("ascend910a", (1,)), ("ascend910b1", (1,)), ("ascend310", (2,)),
    ]  # fmt: skip
    assert [row.front for row in best] == [True, True, False, True]


def test_equal_chips_are_both_on_the_front_and_a_smaller_one_as_fast_dominates():
    equal = best_points(table_of({("ascend910b1", 1): (5.0, 300.0), ("ascend910b2", 1): (5.0, 300.0)}), "net")
    assert [row.front for row in equal] == [True, True]
    smaller = best_points(table_of({("ascend910b1", 1): (5.0, 300.0), ("ascend310", 1): (5.0, 10.0)}), "net")
    assert [(row.point.chip, row.front) for row in smaller] == [("ascend310", True), ("ascend910b1", False)]


def test_points_with_an_error_or_without_a_row_are_left_out():
    table = table_of({("ascend310", 1): (5.0, 10.0)})
    table.add(Point("net", "default", "ascend910b1", (1,)), Row(Metrics(error="no"), ""))
    assert [row.point.chip for row in best_points(table, "net")] == ["ascend310"]
    assert front_lines(table_of({})) == []


def test_points_that_do_not_fit_the_memory_are_no_candidates_and_are_named():
    table = table_of({("ascend310", 1): (5.0, 10.0), ("ascend310", 2): (6.0, 10.0), ("ascend910b1", 1): (40.0, 300.0)})
    for value in (1, 2):
        point = Point("net", "default", "ascend310", (value,))
        too_large = table.rows[point].metrics._replace(memory="does not fit: 68.7 of 8.6 GB")
        table.rows[point] = Row(too_large, "")
        assert "ascend310" not in " ".join(map(str, effects_around(table, point)))
    assert [(row.point.chip, row.front) for row in best_points(table, "net")] == [("ascend910b1", True)]
    note = "   ascend310: net does not fit: 68.7 of 8.6 GB (2 points left out)"
    assert front_lines(table)[-1] == note
    assert repr(table) == "<sweep: 3 of 8 points, 0 with an error, 2 not fitting the memory>"
    del table.rows[Point("net", "default", "ascend910b1", (1,))]
    assert front_lines(table) == [note]


def test_as_text():
    table = table_of({("ascend310", 2): (80.0, 10.0), ("ascend910a", 1): (40.0, 200.0), ("ascend910b1", 1): (40, 300)})
    assert front_lines(table)[:5] == [
        "net: the fastest point of each chip; ● on the Pareto front of time and peak",
        "   chip                  pipeline  mte2.lat  peak TF  cycles    us",
        "●  ascend910a   nominal  default          1      200  40,000  40.0  ████████████",
        "   ascend910b1  nominal  default          1      300  40,000  40.0  ████████████",
        "●  ascend310    nominal  default          2       10  80,000  80.0  ████████████████████████",
    ]
