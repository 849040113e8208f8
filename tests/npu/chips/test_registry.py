"""The chip registry: shipped, registered and plug-in chips."""

import pytest

from minigraph import Tensor, get_context, set_context, simulate
from minigraph.core.errors import ChipError, DuplicateNameError, UnknownNameError
from minigraph.npu.chips import registry
from minigraph.npu.chips.registry import CHIPS, chip_named, register_chip


@pytest.fixture
def own_table(monkeypatch):
    """A registry the test may change."""
    monkeypatch.setattr(registry, "CHIPS", dict(CHIPS))
    monkeypatch.setattr(registry, "_loaded", {})
    return registry.CHIPS


@pytest.fixture
def chip_file(tmp_path):
    """A user's chip file."""
    path = tmp_path / "mychip.toml"
    path.write_text(CHIPS["ascend910b1"].read_text(encoding="utf-8"), encoding="utf-8")
    return path


def test_every_file_is_a_chip_under_its_stem():
    assert {chip_named(name).name for name in CHIPS} == set(CHIPS) >= {"ascend910b1", "ascend910b4"}


def test_a_chip_is_loaded_once_and_passes_through_and_an_unknown_name_gets_the_nearest():
    chip = chip_named("ascend910b1")
    assert chip_named("ascend910b1") is chip_named(chip) is chip
    with pytest.raises(UnknownNameError, match="no chip 'ascend910b11'; did you mean 'ascend910b1'"):
        chip_named("ascend910b11")


def test_register(own_table, chip_file):
    for _ in range(2):  # registering the same file again is allowed
        assert register_chip(chip_file).name == "mychip"
        assert chip_named("mychip").cores.aic == 24
    other = chip_file.rename(chip_file.parent / "ascend910b1.toml")
    with pytest.raises(DuplicateNameError, match="'ascend910b1' is already defined by"):
        register_chip(other)
    broken = chip_file.parent / "broken.toml"
    broken.write_text("[chip]\n", encoding="utf-8")
    with pytest.raises(ChipError):
        register_chip(broken)
    assert "broken" not in own_table


class EntryPoint:
    """The entry point of an installed package."""

    def __init__(self, name, path):
        self.name, self.path = name, path

    def load(self):
        return lambda: self.path


def test_plugins_are_loaded_for_an_unknown_name_and_their_file_has_that_name(own_table, chip_file, monkeypatch):
    points = [EntryPoint("mychip", chip_file)]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    assert chip_named("mychip").name == "mychip"
    points[0].name = "other"
    with pytest.raises(ChipError, match=r"name the file other\.toml"):
        chip_named("other")


def test_a_chip_may_be_given_by_its_file(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('base = "ascend910b1"\n[chip]\ntitle = "Mine"\ncalibrated = false\nnote = "a trial"\n')
    assert chip_named(str(file)).calibration == "Mine is nominal: a trial"
    assert "mine" not in CHIPS
    with pytest.raises(ChipError, match="cannot read the chip file"):
        chip_named(str(tmp_path / "nowhere.toml"))


def test_the_default_is_the_contexts_chip():
    assert chip_named().name == get_context("chip")
    set_context(chip="ascend310")
    assert chip_named(None).name == simulate(lambda x: x + x, Tensor([1.0])).chip.name == "ascend310"
