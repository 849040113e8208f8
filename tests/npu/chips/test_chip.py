"""A chip's figures: values as attributes, provenance by key, copies with other values."""

import pytest

from minigraph.core.errors import ChipError
from minigraph.npu.chips.chip import MAY_BE_ZERO, SECTIONS
from minigraph.npu.chips.figure import GRADES
from minigraph.npu.chips.registry import CHIPS, chip_named
from tests.tables import in_one_test, refusals


@in_one_test((name, key) for name in CHIPS for key in chip_named(name).figures)
def test_every_figure_of_every_chip_is_sourced_graded_positive_in_its_band_and_an_attribute(name, key):
    figure, (section, _, field) = chip_named(name).figures[key], key.partition(".")
    assert len(figure.src.strip()) >= 4
    assert figure.grade in GRADES
    assert figure.lo <= figure.v <= figure.hi
    assert figure.v > 0 or key in MAY_BE_ZERO
    assert getattr(getattr(chip_named(name), section), field) == figure.v


def test_changed_is_a_copy_that_records_the_change():
    chip = chip_named("ascend910b1")
    other = chip.replace(mte2_lat=100, pool_gm=3.0)
    assert (other.mte2.lat, other.pool.gm) == (100, 3.0)
    assert "changed by hand; was 190" in other.figures["mte2.lat"].src
    assert chip.mte2.lat == 190


test_changed_raises_for_invalid_values = refusals(
    ({"mte2_latt": 1}, "did you mean 'mte2.lat'"),
    ({"pool_gm": -1}, "positive finite"),
    ({"cores_aic": 2.5}, "whole number"),
    ({"cores_aic": 0}, "positive finite"),
    ({"pool_gm": float("nan")}, "use a number"),
    ({"pool_gm": float("inf")}, "positive finite"),
    by=lambda values: chip_named("ascend910b1").replace(**values),
    error=ChipError,
)


def test_conversions_and_repeat_costs_by_class_and_width():
    chip = chip_named("ascend910b1")
    assert chip.us(1850) == 1.0
    assert chip.per_cycle(1.85) == pytest.approx(1000)
    assert (chip.vector_cores, chip.replace(cores_aiv=0).vector_cores) == (48, 24)
    assert repr(chip) == "<chip ascend910b1>"
    assert [chip.repeat.cycles("special", width) for width in (2, 4, 8)] == [4, 2, 2]


@pytest.mark.parametrize("name", CHIPS)
def test_every_field_of_every_section_has_a_figure_and_every_chip_is_labelled_calibrated_or_nominal(name):
    chip, fields = chip_named(name), {section: kind.__dataclass_fields__ for section, kind in SECTIONS.items()}
    assert set(chip.figures) == {f"{section}.{field}" for section in fields for field in fields[section]}
    assert chip.label == f"{chip.title} ({'calibrated' if chip.calibrated else 'nominal'})"
    assert chip.standing.startswith(f"{chip.title} is {'calibrated on' if chip.calibrated else 'nominal'}")
    assert chip.standing.endswith(chip.note)
