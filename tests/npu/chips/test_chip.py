"""A chip's parameters: values as attributes, provenance by key, copies with other values."""

import ast
import re
from dataclasses import fields, replace
from html import escape

import numpy as np
import pytest

from minigraph import Tensor, jit, trace
from minigraph.cli.npu import SHEETS, Run, chip_with_settings, files_of
from minigraph.core.errors import ChipError
from minigraph.npu.chips.chip import MAY_BE_ZERO, SECTIONS, Chip
from minigraph.npu.chips.chip_file import load_chip
from minigraph.npu.chips.hardware_parameter import GRADE_MEANINGS, GRADES
from minigraph.npu.chips.registry import CHIPS, chip_named
from minigraph.npu.efficiency import EFFICIENCIES
from minigraph.npu.host import DEFAULT_HOST, HOSTS, host_named
from minigraph.npu.reports.profiler import FUSION_COLUMNS, fusion_op
from minigraph.npu.simulator import simulate
from minigraph.npu.sweeps.tuning import autotune
from tests.tables import error_cases, in_one_test
from viz.machine.animation import animation
from viz.machine.launches import launches


@in_one_test((name, key) for name in CHIPS for key in chip_named(name).parameters)
def test_every_parameter_of_every_chip_is_sourced_graded_positive_in_its_band_and_an_attribute(name, key):
    parameter, (section, _, field) = chip_named(name).parameters[key], key.partition(".")
    assert len(parameter.src.strip()) >= 4
    assert parameter.grade in GRADES
    assert parameter.lo <= parameter.v <= parameter.hi
    assert parameter.v > 0 or key in MAY_BE_ZERO
    assert getattr(getattr(chip_named(name), section), field) == parameter.v


def test_the_table_of_a_notebook_says_what_the_grades_mean():
    html = chip_named("ascend910b1")._repr_html_()
    assert all(f"{grade} {escape(meaning)}" in html for grade, meaning in GRADE_MEANINGS.items())


def test_replace_returns_a_copy_that_records_the_change():
    chip = chip_named("ascend910b1")
    other = chip.replace(mte2_lat=100, pool_gm=3.0)
    assert (other.mte2.lat, other.pool.gm) == (100, 3.0)
    assert "changed by hand; was 190" in other.parameters["mte2.lat"].src
    assert chip.mte2.lat == 190


test_replace_raises_for_invalid_values = error_cases(
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
    assert repr(chip.replace(mte2_lat=150)) == "<chip ascend910b1: what-if mte2.lat 190 -> 150>"
    assert [chip.repeat.cycles("special", width) for width in (2, 4, 8)] == [4, 2, 2]


@pytest.mark.parametrize("name", CHIPS)
def test_every_field_of_every_section_has_a_parameter_and_every_chip_is_labelled_calibrated_or_nominal(name):
    chip, fields = chip_named(name), {section: kind.__dataclass_fields__ for section, kind in SECTIONS.items()}
    assert set(chip.parameters) == {f"{section}.{field}" for section in fields for field in fields[section]}
    assert chip.label == f"{chip.title} ({'calibrated' if chip.calibrated else 'nominal'})"
    assert chip.calibration.startswith(f"{chip.title} is {'calibrated on' if chip.calibrated else 'nominal'}")
    assert chip.calibration.endswith(chip.note)


# ---- what-ifs: a chip names its changed parameters, however they were changed ----------------------------------


def from_text(text, tmp_path):
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    return chip_named(str(tmp_path / "mine.toml"))


B1 = chip_named("ascend910b1")
HEADER = '[chip]\ntitle = "Mine"\nfamily = "split"\ncalibrated = true\nnote = "mine"\n'
FASTER = '[mte2]\nlat = {v = 150, src = "guess", grade = "U"}\n'
TEXT = CHIPS["ascend910b1"].read_text(encoding="utf-8")


class Faster(Chip):
    """A subclass with another parameter."""

    mte2 = property(lambda self: replace(B1.mte2, lat=150), lambda self, value: None)


def with_attribute(chip):
    object.__setattr__(chip, "mte2", replace(chip.mte2, lat=150))
    return chip


def with_parameter(**parts):
    """A 910B1 whose latency of loads has another value, grade or band."""
    return replace(B1, parameters={**B1.parameters, "mte2.lat": B1.parameters["mte2.lat"]._replace(**parts)})


def with_own_reference(chip):
    """A chip that gives its own parameters as the calibrated ones."""
    return replace(chip, reference=dict(chip.parameters), kind=(chip.family, True))


def with_entry(chip, key, **parts):
    """A chip after an entry of its parameters was set in place."""
    chip.parameters[key] = chip.parameters[key]._replace(**parts)
    return chip


def parts_of(chip):
    return {field.name: getattr(chip, field.name) for field in fields(Chip)}


WHAT_IFS = {
    "a subclass": lambda tmp_path: Faster(**parts_of(B1)),
    "an attribute that is set": lambda tmp_path: with_attribute(Chip(**parts_of(B1))),
    "changed": lambda tmp_path: B1.replace(mte2_lat=150),
    "changed twice": lambda tmp_path: B1.replace(mte2_lat=170).replace(mte2_lat=150),
    "replaced": lambda tmp_path: replace(B1, mte2=replace(B1.mte2, lat=150)),
    "a file with a base": lambda tmp_path: from_text(f'base = "ascend910b1"\n{HEADER}{FASTER}', tmp_path),
    "an edited copy": lambda tmp_path: from_text(TEXT.replace("lat = {v = 190", "lat = {v = 150", 1), tmp_path),
    "an edited copy with another title": lambda tmp_path: from_text(
        TEXT.replace("lat = {v = 190", "lat = {v = 150", 1).replace("Ascend 910B1", "Mine"), tmp_path
    ),
    "an edited copy with other sources": lambda tmp_path: from_text(
        TEXT.replace("lat = {v = 190", "lat = {v = 150", 1)
        .replace('src = "', 'src = "my ')
        .replace("Ascend 910B1", "Mine"),
        tmp_path,
    ),
    "an edited copy that claims no calibration": lambda tmp_path: from_text(
        TEXT.replace("lat = {v = 190", "lat = {v = 150", 1)
        .replace("calibrated = true", "calibrated = false")
        .replace("Ascend 910B1", "Mine"),
        tmp_path,
    ),
    "--set": lambda tmp_path: chip_with_settings(B1, ["mte2.lat=150"]),
    "a parameter": lambda tmp_path: with_parameter(v=150),
    "another reference": lambda tmp_path: with_own_reference(B1.replace(mte2_lat=150)),
    "another reference and origin": lambda tmp_path: replace(with_own_reference(B1.replace(mte2_lat=150)), origin=""),
    "an entry of the parameters": lambda tmp_path: with_entry(load_chip(CHIPS["ascend910b1"]), "mte2.lat", v=150),
}


@pytest.mark.parametrize("make", WHAT_IFS.values(), ids=WHAT_IFS)
def test_a_changed_parameter_makes_a_what_if_that_names_it(make, tmp_path):
    chip = make(tmp_path)
    assert (chip.grade, chip.what_if) == ("what-if", "mte2.lat 190 -> 150")
    assert "what-if: mte2.lat 190 -> 150" in chip.label and "what-if" in chip.calibration
    assert "calibrated" not in chip.label + chip.calibration


def test_another_grade_or_band_makes_a_what_if_that_names_it(tmp_path):
    known = B1.parameters["mte2.lat"]
    band = f"{known.lo:g}..{known.hi:g}"
    assert with_parameter(grade="D").what_if == f"mte2.lat grade {known.grade} -> D"
    assert with_parameter(hi=2000).what_if == f"mte2.lat band {band} -> {known.lo:g}..2000"
    entry = f'[mte2]\nlat = {{v = 190, src = "a guess", grade = "D", lo = {known.lo}, hi = {known.hi}}}\n'
    assert from_text(f'base = "ascend910b1"\n{HEADER}{entry}', tmp_path).label.endswith("grade F -> D)")
    edited = with_entry(load_chip(CHIPS["ascend310"]), "task.head_us", lo=6.0, hi=6.0)
    assert edited.grade == "what-if" and edited.what_if.endswith("-> 6..6")
    weaker = HEADER.replace("calibrated = true", "calibrated = false")
    assert from_text(f'base = "ascend910b1"\n{weaker}', tmp_path).what_if == "", "inherited parameters are unverified"


def test_the_repr_of_a_tuning_names_the_what_if():
    x = Tensor(np.ones((16, 16), np.float32))
    tuning = autotune(lambda x: x @ x, x, chip=B1.replace(mte2_lat=150))
    assert re.fullmatch(r"<tuning %\d+ matmul on Ascend 910B1 \(what-if: mte2.lat 190 -> 150\): .*>", repr(tuning))


def test_another_family_or_a_better_grade_makes_a_what_if_that_names_it(tmp_path):
    """What units a chip has decides its costs as parameters do, and a nominal chip is not calibrated by saying so."""
    coupled = replace(B1, family="coupled")
    assert (coupled.grade, coupled.what_if) == ("what-if", "chip.family split -> coupled")
    claims = 'base = "ascend310"\n[chip]\ncalibrated = true\n'
    for claimed in (from_text(claims, tmp_path), replace(chip_named("ascend310"), calibrated=True)):
        assert (claimed.grade, claimed.what_if) == ("what-if", "chip.calibrated false -> true")
    assert replace(B1, calibrated=False).grade == "nominal"


def test_a_chip_is_not_calibrated_by_replacing_where_it_comes_from():
    changed = with_own_reference(B1.replace(mte2_lat=150))
    own = replace(changed, origin="", title="Mine")
    assert (own.grade, own.what_if) == ("what-if", "chip.calibrated false -> true")
    assert "cores.freq_mhz" in replace(B1, origin="ascend910b2").what_if
    nominal = chip_named("ascend310").replace(mte2_lat=150)
    assert replace(nominal, reference=dict(nominal.parameters)).what_if == "mte2.lat 190 -> 150"


def test_a_parameter_changed_back_makes_no_what_if(tmp_path):
    assert B1.replace(mte2_lat=150).replace(mte2_lat=190).grade == "calibrated"
    assert from_text(f'base = "ascend910b1"\n{HEADER}', tmp_path).grade == "calibrated"
    assert from_text(TEXT, tmp_path).what_if == "" and chip_named("ascend310").what_if == ""


def test_a_changed_nominal_chip_is_a_what_if_and_a_file_of_mostly_other_values_is_a_chip_of_its_own(tmp_path):
    assert from_text(f'base = "ascend310"\n{FASTER}', tmp_path).what_if == "mte2.lat 190 -> 150"
    header = HEADER.replace("calibrated = true", "calibrated = false").replace("split", "coupled")
    derived = from_text(f'base = "ascend310"\n{header}{FASTER}', tmp_path)
    assert (derived.grade, derived.title, derived.what_if) == ("what-if", "Mine", "mte2.lat 190 -> 150")
    text = TEXT.replace("calibrated = true", "calibrated = false").replace("Ascend 910B1", "Mine")
    assert from_text(text, tmp_path).grade == "nominal", "nothing is changed"
    own = re.sub(r"\b(v|lo|hi) = ([\d.]+)", lambda match: f"{match[1]} = {2 * ast.literal_eval(match[2])}", text)
    assert from_text(own, tmp_path).grade == "nominal"
    claims = from_text(own.replace("calibrated = false", "calibrated = true"), tmp_path)
    assert (claims.grade, claims.what_if) == ("what-if", "chip.calibrated false -> true"), "no measurement was compared"


def outputs_of(chip, **settings):
    """Every report, CSV file, trace and picture of a run, by name."""
    x = Tensor(np.ones((64, 64), np.float32))
    graph = jit(lambda x: ((x @ x) * 2.0 + x).tanh()).graph(x)
    report = simulate(graph, chip=chip, **settings)
    run = Run(graph, report, report, autotune(graph, node=report.rows[0].node, chip=chip))
    outputs = dict(files_of(run)) | {"summary": str(report), "html": report._repr_html_()}
    outputs |= {"repr": repr(report)}
    outputs |= {f"{name} records": str(sheet(run).records()) for name, sheet in SHEETS.items() if sheet(run).rows}
    outputs |= {f"{name} text": str(sheet(run)) for name, sheet in SHEETS.items()}
    outputs |= {f"{name} html": sheet(run)._repr_html_() for name, sheet in SHEETS.items()}
    outputs |= {"autotune records": str(run.tuning.sheet().records())}
    return outputs | {"animation.svg": animation(report), "launches.svg": launches(report)}


@pytest.mark.parametrize("make", WHAT_IFS.values(), ids=WHAT_IFS)
def test_every_output_of_every_changed_chip_names_the_what_if(make, tmp_path):
    outputs = outputs_of(make(tmp_path))
    assert len(outputs) > 17
    assert [name for name, text in outputs.items() if not re.search("mte2.lat 190 -(>|&gt;) 150", text)] == []
    assert not any("calibrated" in text for text in outputs.values())


@pytest.mark.parametrize("registered", [False, True])
@pytest.mark.parametrize("name", ["torch_npu-x86", "mine", DEFAULT_HOST])
def test_every_output_of_a_run_names_the_changed_parameters_of_its_host(name, registered, monkeypatch):
    """Autotuning is given none: it names changes of the default preset."""
    shipped = host_named(name if name == DEFAULT_HOST else "torch_npu-x86")
    host = replace(shipped, name=name, issue_us=shipped.issue_us._replace(v=10.0))
    assert shipped.what_if == "" and re.fullmatch(r"issue_us [0-9.]+ -> 10", host.what_if)
    if registered:
        monkeypatch.setitem(HOSTS, name, host)
    outputs = outputs_of(B1, host=name if registered else host)
    without = {name for name, text in outputs.items() if not re.search("issue_us [0-9.]+ -(>|&gt;) 10", text)}
    assert without == set() if registered and name == DEFAULT_HOST else {"autotune.csv", "landscape.svg"}


def test_every_output_names_a_changed_band_of_kernels(monkeypatch):
    band = EFFICIENCIES["product"]
    monkeypatch.setitem(EFFICIENCIES, "product", band._replace(hi=9.5))
    outputs = outputs_of(B1)
    named = re.compile(r"efficiency.product [0-9.]+ of \d+ rows -(>|&gt;) [0-9.]+..9.5 of \d+ rows")
    without = {name for name, text in outputs.items() if not named.search(text)}
    assert not without
    assert f"{band.lo:g} to 9.5 (product)" in outputs["summary"], "the legend has the changed band"


def test_a_table_of_no_fused_nodes_names_the_what_if():
    report = simulate(trace(lambda x: x + x, Tensor([1.0])), chip=B1.replace(mte2_lat=150))
    assert fusion_op(report).splitlines() == [f"{FUSION_COLUMNS},what-if: mte2.lat 190 -> 150"]


def test_every_output_with_verdicts_or_grades_has_their_legend():
    """A table of comma-separated values has it in a column; records are cells only."""
    outputs = {name: text for name, text in outputs_of(B1).items() if not name.endswith(" records")}
    with_verdicts = {name for name, text in outputs.items() if "latency bound:" in text}
    assert with_verdicts >= {"summary", "html", "trace.json", "tasks.csv", "autotune.csv"}
    assert [name for name in with_verdicts if "verdicts: memory or compute bound: above 80%" not in outputs[name]] == []
    with_grades = {name for name, text in outputs.items() if name.endswith(".csv") and ",grade" in text}
    assert with_grades >= {"tasks.csv", "whatif.csv"}
    assert [name for name in with_grades if "D vendor document" not in outputs[name]] == []
