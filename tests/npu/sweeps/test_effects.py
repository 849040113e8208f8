import pytest

from minigraph.npu.sweeps.axes import axis_with
from minigraph.npu.sweeps.effects import Effect, effects_around
from minigraph.npu.sweeps.pareto import best_points, front_lines
from minigraph.npu.sweeps.space import space_of
from minigraph.npu.sweeps.table import Row, Table
from minigraph.npu.sweeps.work_item import Metrics

LAT, GM, L2 = (axis_with(*axis) for axis in (("mte2.lat", (100, 200, 300)), ("pool.gm", (0.5, 1.0)), ("pool.l2", (5,))))


@pytest.fixture
def table():
    """Times that are sums over the choices, so that each effect is known."""
    table = Table(space_of(["net"], ["default", ""], ["ascend310", "ascend910b1"], [LAT, GM, L2]), {})
    for point in table.space:
        slow = 5 * (not point.pipeline) + 7 * (point.chip == "ascend310")
        table.add(point, row_of(10.0 + slow + point.values[0] / 100 + 2 / point.values[1]))
    return table


def row_of(us):
    return Row(Metrics(1, 1, us, us, us, us, 0.0, 0.0, 1.0), "")


def test_one_at_a_time_effects_largest_first_without_missing_or_failed_points(table):
    best = best_points(table, "net")[0].point
    assert effects_around(table, best) == [
        Effect("pipeline", "default", 13.0, "(no passes)", 18.0),
        Effect("mte2.lat", "100", 13.0, "300", 15.0),
        Effect("pool.gm", "1", 13.0, "0.5", 15.0),
    ]
    table.rows[best._replace(pipeline="")] = Row(Metrics(error="no"), "")
    del table.rows[best._replace(values=(300, 1.0, 5))]
    effects = {effect.choice: effect.slowest for effect in effects_around(table, best)}
    assert effects == {"mte2.lat": "200", "pool.gm": "0.5"}


def test_as_text(table):
    assert front_lines(table)[-4:] == [
        "   effect of each choice on the fastest point, all others fixed:",
        "   pipeline: default 13.0 us, (no passes) 18.0 us (+38.5%)",
        "   mte2.lat: 100 13.0 us, 300 15.0 us (+15.4%)",
        "   pool.gm: 1 13.0 us, 0.5 15.0 us (+15.4%)",
    ]
    assert str(Effect("mte2.lat", "1", 2.0, "1", 2.0)) == "mte2.lat: no effect"
    small_table = Table(space_of(["net"], ["default"], ["ascend310"]), {})
    (point,) = small_table.space
    small_table.add(point, row_of(1.0))
    assert effects_around(small_table, point) == [] and len(front_lines(small_table)) == 3, "no choices, no effects"
