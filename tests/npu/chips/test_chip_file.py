"""Reading chip files: every error names file and key."""

import re

import pytest

from minigraph.core.errors import ChipError
from minigraph.npu.chips.chip import SECTIONS
from minigraph.npu.chips.chip_file import ORDERED_PAIRS, load_chip, parameter_of
from minigraph.npu.chips.registry import CHIPS
from tests.tables import cases

TEXT = CHIPS["ascend910b1"].read_text(encoding="utf-8")
LAT = next(line for line in TEXT.splitlines() if line.startswith("lat = {v = 190"))


WITH_BASE = 'base = "ascend910b1"\n'


def load(tmp_path, text):
    """The chip of a user's file."""
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return load_chip(path)


def text_with(old, new):
    """The shipped chip file with one text replaced."""
    assert TEXT.count(old) >= 1
    return TEXT.replace(old, new, 1)


@cases(
    (LAT, "lat = {v = 190, grade = 'F'}", "mte2.lat has no src"),
    (LAT, "lat = {v = 190, src = '', grade = 'F'}", "mte2.lat has no src"),
    (LAT, "lat = {v = 190, src = '  ', grade = 'F'}", "mte2.lat has no src"),
    (LAT, "lat = {v = 190, src = 5, grade = 'F'}", "mte2.lat has no src"),
    (LAT, "lat = {v = 190, src = 'x'}", "mte2.lat has no grade"),
    (LAT, "lat = {src = 'x', grade = 'F'}", "mte2.lat has no v"),
    (LAT, "lat = {v = 190, src = 'x', grade = 'Q'}", "grade 'Q'"),
    (LAT, "lat = {v = 190, src = 'x', grade = 'FM'}", "grade 'FM'"),
    (LAT, "lat = {v = -1, src = 'x', grade = 'F'}", "mte2.lat is -1"),
    (LAT, "lat = {v = 0, src = 'x', grade = 'F'}", "mte2.lat is 0"),
    (LAT, "lat = {v = 1.5, src = 'x', grade = 'F'}", "whole number"),
    (LAT, "lat = {v = true, src = 'x', grade = 'F'}", "use a number"),
    (LAT, "lat = {v = 'fast', src = 'x', grade = 'F'}", "use a number"),
    (LAT, "lat = {v = 1" + "0" * 4299 + ", src = 'x', grade = 'F'}", "mte2.lat is above the limit of 1e"),
    (LAT, "lat = {v = 1" + "0" * 5000 + ", src = 'x', grade = 'F'}", "not TOML: Exceeds the limit"),
    (LAT, "lat = {v = 190, src = 'x', grade = 'F', hi = 1e308}", "mte2.lat is above the limit of 1e"),
    ("outstanding = {v = 7,", "outstanding = {v = 1000000,", "mte2.outstanding is above the limit of 65536"),
    (LAT, "lat = {v = 1e-308, src = 'x', grade = 'F'}", "mte2.lat is below the limit of 1e-09"),
    (LAT, "lat = {v = 190, src = 'x', grade = 'F', lo = 1e-308}", "mte2.lat is below the limit of 1e-09"),
    (LAT, "lat = " + "[" * 100_000, "not TOML"),
    (LAT, "lat = {v = inf, src = 'x', grade = 'F'}", "positive finite"),
    (LAT, "lat = {v = nan, src = 'x', grade = 'F'}", "use a number"),
    (LAT, "lat = {v = 190, src = 'x', grade = 'F', lo = 200, hi = 300}", "outside of its band"),
    (LAT, "lat = {v = 190, src = 'x', grade = 'F', lo = -1}", "mte2.lat is 190, outside of its band -1..190"),
    (LAT, "lat = {v = 190, src = 'x', grade = 'F', hi = inf}", "outside of its band 190..inf"),
    (LAT, "lat = {v = 190, src = 'x', grade = 'F', low = 100}", "did you mean 'lo'"),
    (LAT, "lat = {v = 900, src = 'x', grade = 'F'}", "mte2.lat is 900, more than mte2.lat_miss, 375"),
    (LAT, "lat = 190", "write {v ="),
    (LAT, "", "'mte2.lat' is missing"),
    (LAT, LAT + "\nlatt = {v = 1, src = 'x', grade = 'F'}", "unknown key 'mte2.latt'; did you mean 'lat'"),
    ("[scalar]", "[scaler]", "unknown key 'scaler'"),
    ('family = "split"', 'family = "joined"', "use one of split, coupled"),
    ('family = "split"', 'family = "coupled"', "cores.aiv is 48, but chip.family 'coupled' has its vector units"),
    ("aiv = {v = 48", "aiv = {v = 0", "cores.aiv is 0, but chip.family 'split' has vector cores of their own"),
    ('title = "Ascend 910B1"', "title = 910", "chip.title is 910; use a string"),
    ('title = "Ascend 910B1"', "title = ' '", "chip.title is ' '; use a string"),
    ("calibrated = true", 'calibrated = "yes"', "use true or false"),
    ("[chip]", "[chip", "not TOML"),
)
def test_invalid_text_raises(tmp_path, old, new, message):
    with pytest.raises(ChipError, match=rf"(?s)^mine\.toml: .*{re.escape(message)}"):
        load(tmp_path, text_with(old, new))


@cases(
    (f"scalar = 3\n{TEXT[: TEXT.index('[scalar]')]}{TEXT[TEXT.index('[pool]') :]}", "'scalar' is 3; make it a table"),
    (f"{WITH_BASE}chip = 3\n", r"mine\.toml: .*(chip|pool)"),
    (f"{WITH_BASE}pool = 3\n", r"mine\.toml: .*(chip|pool)"),
    (f"{WITH_BASE}pool = []\n", r"mine\.toml: .*(chip|pool)"),
    (f"{WITH_BASE}[chip]\nfamily = []\n", r"mine\.toml: .*(chip|pool)"),
    ('base = "ascend910b"\n', "mine.toml: no chip 'ascend910b' to inherit from; did you mean 'ascend910b4'?"),
    ("base = 3\n", "no chip '3' to inherit from"),
    (f'{WITH_BASE}[pool]\ngmm = {{v = 1, src = "x", grade = "U"}}\n', "unknown key 'pool.gmm'"),
    (f'{WITH_BASE}[pool]\ngm = {{v = 1, grade = "U"}}\n', "pool.gm has no src"),
    ('base = "ascend910b11"\n', "did you mean 'ascend910b1'"),
)
def test_an_invalid_file_raises(tmp_path, text, message):
    with pytest.raises(ChipError, match=message):
        load(tmp_path, text)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_parameter_without_a_source_raises_in_every_section(tmp_path, section):
    head, _, rest = TEXT.partition(f"\n[{section}]\n")
    key = re.search(r"^(\w+) = \{", rest, re.MULTILINE).group(1)
    text = re.sub(r'src = ".*?"', 'src = ""', rest, count=1)
    with pytest.raises(ChipError, match=rf"mine.toml: {section}\.{key} has no src"):
        load(tmp_path, f"{head}\n[{section}]\n{text}")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ChipError, match="nowhere.toml: cannot read"):
        load_chip(tmp_path / "nowhere.toml")


def test_a_copy_loads_under_its_own_name(tmp_path):
    chip = load(tmp_path, text_with('title = "Ascend 910B1"', 'title = "Mine"'))
    assert (chip.name, chip.title, chip.cores.aic) == ("mine", "Mine", 24)


def test_a_parameter_without_a_band_is_its_own_band():
    parameter = parameter_of("here", "a.b", {"v": 3, "src": "x", "grade": "D"})
    assert (parameter.lo, parameter.hi) == (3, 3)


@cases(
    ("ascend910b1", '[pool]\ngm = {v = 0.5, src = "a what-if", grade = "U"}', {"pool.gm": (0.5, "a what-if")}),
    ("ascend910b1", '[mte2]\nlat = {v = 7, src = "mine", grade = "X"}', {"mte2.lat": (7, "mine")}),
    ("ascend310", '[cores]\naic = {v = 1, src = "mine", grade = "U"}', {"cores.aic": (1, "mine")}),  # inherits itself
)
def test_a_variant_inherits_from_its_base(tmp_path, name, text, differing):
    chip, base = load(tmp_path, f'base = "{name}"\n{text}\n'), load_chip(CHIPS[name])
    pairs = ((key, parameter, base.parameters[key]) for key, parameter in chip.parameters.items())
    changed = {key: (parameter.v, parameter.src) for key, parameter, inherited in pairs if parameter != inherited}
    assert (changed, chip.name) == (differing, "mine")
    assert (chip.family, chip.calibrated) == (base.family, base.calibrated)


@pytest.mark.parametrize("low, high", ORDERED_PAIRS)
def test_parameters_that_contradict_each_other_raise_with_both_names(tmp_path, low, high):
    """Each is valid on its own: the lower parameter is set to twice the base's upper one."""
    section, _, name = low.partition(".")
    v = 2 * int(load_chip(CHIPS["ascend910b1"]).parameters[high].v + 1)
    with pytest.raises(ChipError, match=rf"mine\.toml: {low} is {v}, more than {high}, "):
        load(tmp_path, f'{WITH_BASE}[{section}]\n{name} = {{v = {v}, src = "a what-if", grade = "U"}}\n')


def test_a_chip_that_is_not_calibrated_inherits_parameters_as_unverified(tmp_path):
    header = 'title = "Mine"\nfamily = "coupled"\ncalibrated = false\nnote = "a what-if"\n'
    chip, base = load(tmp_path, f'base = "ascend310"\n[chip]\n{header}'), load_chip(CHIPS["ascend310"])
    assert chip.parameters["mte2.lat"] == base.parameters["mte2.lat"]  # ascend310 inherits it from ascend910b1
    cores = chip.parameters["cores.aic"]
    assert cores.src.startswith("taken from ascend310: ") and cores.grade == "U"
