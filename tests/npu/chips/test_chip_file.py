"""Reading chip files: everything wrong is refused, naming file and key."""

import pytest

from minigraph.core.errors import ChipError
from minigraph.npu.chips.chip_file import NOT_ABOVE, figure_of, load_chip
from minigraph.npu.chips.registry import CHIPS

TEXT = CHIPS["ascend910b1"].read_text(encoding="utf-8")
LAT = next(line for line in TEXT.splitlines() if line.startswith("lat = {v = 190"))


def load(tmp_path, old, new):
    """The chip file with one piece of text replaced."""
    assert TEXT.count(old) >= 1
    path = tmp_path / "mine.toml"
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    return load_chip(path)


@pytest.mark.parametrize(
    "old, new, said",
    [
        (LAT, "lat = {v = 190, grade = 'F'}", "mine.toml: mte2.lat has no src"),
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
        ('title = "Ascend 910B1"', "title = 910", "chip.title is 910; write a few words"),
        ('title = "Ascend 910B1"', "title = ' '", "chip.title is ' '; write a few words"),
        ("calibrated = true", 'calibrated = "yes"', "use true or false"),
        ("[chip]", "[chip", "not TOML"),
    ],
)
def test_refuses(tmp_path, old, new, said):
    with pytest.raises(ChipError) as caught:
        load(tmp_path, old, new)
    assert str(caught.value).startswith("mine.toml: ")
    assert said in str(caught.value)


def test_a_section_that_is_no_table_is_refused(tmp_path):
    start, end = TEXT.index("[scalar]"), TEXT.index("[pool]")
    path = tmp_path / "mine.toml"
    path.write_text("scalar = 3\n" + TEXT[:start] + TEXT[end:], encoding="utf-8")
    with pytest.raises(ChipError, match="'scalar' is 3; make it a table"):
        load_chip(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ChipError, match="nowhere.toml: cannot read"):
        load_chip(tmp_path / "nowhere.toml")


def test_a_copy_loads_under_its_own_name(tmp_path):
    chip = load(tmp_path, 'title = "Ascend 910B1"', 'title = "Mine"')
    assert (chip.name, chip.title, chip.cores.aic) == ("mine", "Mine", 24)


def test_a_figure_without_a_band_is_its_own_band():
    figure = figure_of("here", "a.b", {"v": 3, "src": "x", "grade": "D"})
    assert (figure.lo, figure.hi) == (3, 3)


def test_a_variant_takes_the_rest_from_its_base(tmp_path):
    path = tmp_path / "variant.toml"
    path.write_text('base = "ascend910b1"\n[pool]\ngm = {v = 0.5, src = "a what-if", grade = "U"}\n', encoding="utf-8")
    variant, base = load_chip(path), load_chip(CHIPS["ascend910b1"])
    assert variant.pool.gm == 0.5 and variant.figures["pool.gm"].src == "a what-if"
    changed = {key for key, figure in variant.figures.items() if figure != base.figures[key]}
    assert changed == {"pool.gm"}


@pytest.mark.parametrize("low, high", NOT_ABOVE)
def test_figures_that_no_chip_has_together_are_refused_by_both_names(tmp_path, low, high):
    """Each alone is possible: twice the base's upper figure for the lower one."""
    section, _, name = low.partition(".")
    v = 2 * int(load_chip(CHIPS["ascend910b1"]).figures[high].v + 1)
    path = tmp_path / "variant.toml"
    path.write_text(f'base = "ascend910b1"\n[{section}]\n{name} = {{v = {v}, src = "a what-if", grade = "U"}}\n')
    with pytest.raises(ChipError, match=rf"variant\.toml: {low} is {v}, more than {high}, "):
        load_chip(path)


@pytest.mark.parametrize("content", ["chip = 3", "pool = 3", "pool = []", "[chip]\nfamily = []"])
def test_a_variant_whose_sections_are_no_tables_is_refused(tmp_path, content):
    path = tmp_path / "variant.toml"
    path.write_text(f'base = "ascend910b1"\n{content}\n', encoding="utf-8")
    with pytest.raises(ChipError, match=r"variant\.toml: .*(chip|pool)"):
        load_chip(path)


@pytest.mark.parametrize("text, said", [
    ('base = "ascend910b"\n', "variant.toml: no chip 'ascend910b' to take entries from; did you mean 'ascend910b4'?"),
    ('base = 3\n', "no chip '3' to take entries from"),
    ('base = "ascend910b1"\n[pool]\ngmm = {v = 1, src = "x", grade = "U"}\n', "unknown key 'pool.gmm'"),
    ('base = "ascend910b1"\n[pool]\ngm = {v = 1, grade = "U"}\n', "pool.gm has no src"),
])  # fmt: skip
def test_a_wrong_variant_is_refused(tmp_path, text, said):
    path = tmp_path / "variant.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ChipError, match=said):
        load_chip(path)


def test_a_file_may_name_only_what_differs_from_a_shipped_chip(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('base = "ascend910b1"\n[mte2]\nlat = {v = 7, src = "mine", grade = "X"}\n', encoding="utf-8")
    chip = load_chip(path)
    assert (chip.name, chip.mte2.lat, chip.figures["mte2.lat"].src) == ("mine", 7, "mine")
    assert chip.figures["pool.gm"] == load_chip(CHIPS["ascend910b1"]).figures["pool.gm"]


def test_a_variant_of_a_variant_takes_what_that_one_took(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('base = "ascend310"\n[cores]\naic = {v = 1, src = "mine", grade = "U"}\n', encoding="utf-8")
    chip, base = load_chip(path), load_chip(CHIPS["ascend310"])
    assert {key for key, figure in chip.figures.items() if figure != base.figures[key]} == {"cores.aic"}
    assert (chip.cores.aic, chip.family, chip.calibrated) == (1, "coupled", False)


def test_what_an_uncalibrated_chip_takes_is_unverified_once(tmp_path):
    about = 'title = "Mine"\nfamily = "coupled"\ncalibrated = false\nnote = "a what-if"\n'
    path = tmp_path / "mine.toml"
    path.write_text(f'base = "ascend310"\n[chip]\n{about}', encoding="utf-8")
    chip, base = load_chip(path), load_chip(CHIPS["ascend310"])
    assert chip.figures["mte2.lat"] == base.figures["mte2.lat"]  # ascend310 took it from ascend910b1
    assert chip.figures["cores.aic"].src.startswith("taken from ascend310: ") and chip.figures["cores.aic"].grade == "U"


def test_an_unknown_base_gets_the_nearest(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('base = "ascend910b11"\n', encoding="utf-8")
    with pytest.raises(ChipError, match="did you mean 'ascend910b1'"):
        load_chip(path)
