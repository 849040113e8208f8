"""Sections are frozen tables of numbers; a repeat's cycles depend on the class and the size of an element."""

from dataclasses import FrozenInstanceError, fields

import pytest

from minigraph.npu.chips import sections
from minigraph.npu.chips.chip import SECTIONS
from minigraph.npu.chips.registry import chip_named


def test_sections_are_the_classes_of_the_file():
    assert set(SECTIONS.values()) == {kind for kind in vars(sections).values() if isinstance(kind, type)}
    assert all(field.type in ("int", "float") for kind in SECTIONS.values() for field in fields(kind))


def test_a_section_is_not_changed_and_a_repeat_has_its_cycles():
    chip = chip_named("ascend910b1")
    with pytest.raises(FrozenInstanceError):
        chip.library.attention = 0
    assert [chip.repeat.cycles("simple", width) for width in (2, 4, 8)] == [1, 1, 1]
    assert chip.repeat.cycles("reduce", 2) == chip.repeat.reduce_f16
