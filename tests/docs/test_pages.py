"""The documentation site: pages written from the code, pages of the repository, and the build without a warning."""

import importlib
import inspect
import re
import subprocess
import sys
from dataclasses import fields

import pytest

import minigraph as ms
import passes
import viz
from minigraph.npu import Schedule
from minigraph.npu.chips.hardware_parameter import GRADE_MEANINGS
from passes import PASSES, RULES, every_rule
from passes.core.registry import EXTRAS
from tests.passes.programs import BUILT_IN
from tests.structure import ROOT

DOCS = ROOT / "docs"
README_LINES = 200


@pytest.fixture(autouse=True)
def folder_on_path(monkeypatch):
    """Sphinx adds the folder of its configuration to the path."""
    monkeypatch.syspath_prepend(str(DOCS))


def page_of(module):
    return importlib.import_module(module)


def rows_of(text):
    """The cells of every row of the tables of a page."""
    lines = [line.strip("| ") for line in text.splitlines() if line.startswith("| ")]
    return [re.split(r"(?<!\\) \| ", line) for line in lines]


# ---- pages written from the code -----------------------------------------------------------------------


def test_the_page_of_passes_has_every_pass_and_whether_it_keeps_every_bit():
    rows = {row[0]: row[-1] for row in rows_of(page_of("catalogue_pages").pass_page())}
    claims = {name: rows[f"[`{name}`](#pass-{name})"] for name in (*BUILT_IN, *EXTRAS)}
    for name in {*BUILT_IN} - {"fuse", "rewrite"}:
        tol = PASSES[name].tol
        assert claims[name] == (f"{tol:.0e}".replace("e-0", "e-") if tol else "yes")
    assert claims["fuse"] == claims["rewrite"] == "depends on the rules"


def test_the_page_of_rules_has_every_rule():
    text = page_of("catalogue_pages").rule_page()
    assert re.findall("^## (.+)$", text, re.MULTILINE) == [*RULES]
    listed = [row[0].strip("`") for row in rows_of(text)]
    assert all(rule.name in listed for _, rule in every_rule())


def exported(module):
    """The values of ``__all__`` by name."""
    return {name: getattr(module, name) for name in getattr(module, "__all__", ())}


def public_modules():
    """The packages, and the modules that they export, at any depth."""
    modules, new = {}, [ms, passes, viz]
    while new:
        module = new.pop()
        modules[module.__name__] = module
        inner = filter(inspect.ismodule, exported(module).values())
        new += [value for value in inner if value.__name__ not in modules]
    return modules


def test_the_reference_has_every_exported_name():
    """A name has an entry on its module's page, or the same object has one on another page."""
    pages = page_of("api_pages")
    entries = {name: pages.names_by_page(importlib.import_module(name)) for name in pages.MODULES}
    listed = {(module, name) for module, groups in entries.items() for names in groups.values() for name in names}
    objects = {id(getattr(sys.modules[module], name)) for module, name in listed}
    assert {"minigraph.amp", "minigraph.mindrecord"} <= {*public_modules()}
    assert [
        f"{module.__name__}.{name}"
        for module in (*public_modules().values(), *map(importlib.import_module, pages.MODULES))
        for name, value in exported(module).items()
        if not inspect.ismodule(value) and (module.__name__, name) not in listed and id(value) not in objects
    ] == []
    assert {("minigraph", "STRICT"), ("minigraph.communication", "HCCL_WORLD_COMM_GROUP")} <= listed


@pytest.mark.parametrize("module", ["minigraph.ops", "minigraph.nn", "minigraph.numpy", "passes", "viz"])
def test_every_public_name_is_on_one_page(module):
    pages = page_of("api_pages")
    module = importlib.import_module(module)
    listed = [name for names in pages.names_by_page(module).values() for name in names]
    assert sorted(listed) == sorted(pages.public_names(module)) and len(listed) > 30
    assert len({*listed}) == len(listed)


LINES = ["``|x|`` is |x|", "as *args or from_", "", ">>> a | b  # *", "c | d", "", "    | code"]
ESCAPED = [r"``|x|`` is \|x\|", r"as \*args or from\_", "", ">>> a | b  # *", "c | d", "", "    | code"]


def test_signs_in_docstrings_are_not_markup():
    lines = [*LINES]
    page_of("api_pages").escape_docstring(None, "", "", None, None, lines)
    assert lines == ESCAPED


def test_the_page_of_the_command_has_every_command():
    text = page_of("catalogue_pages").catalogue_pages()["command_line.md"]
    assert {"explain", "opt", "npu", "learn", "sweep"} <= {*re.findall("^## `minigraph (.+)`$", text, re.MULTILINE)}


# ---- pages of the repository ---------------------------------------------------------------------------


def test_the_glossary_is_the_chapter_of_contributing():
    pages = page_of("repository_pages").repository_pages()
    chapter = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Glossary\n")[2]
    assert chapter in pages["glossary.md"] and "order edge" in chapter
    assert chapter not in pages["contributing.md"]


def test_the_readme_is_short_and_its_links_lead_somewhere():
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= README_LINES
    links = [link for link in re.findall(r"\]\(([^)#]+)", text) if ":" not in link]
    assert len(links) > 15 and [link for link in links if not (ROOT / link).exists()] == []


# ---- the site ------------------------------------------------------------------------------------------


def test_the_site_is_built_without_a_warning(tmp_path):
    """A link to a page or a heading that is not there is a warning, and a warning an error."""
    for module in ("sphinx", "myst_parser", "furo", "sphinx_copybutton"):
        pytest.importorskip(module, reason="needs the extra docs")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-d", str(tmp_path / "trees")]
    process = subprocess.run([*command, str(DOCS), str(tmp_path / "site")], capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (0, "")
    pages = {str(path.relative_to(tmp_path / "site")) for path in (tmp_path / "site").rglob("*.html")}
    assert {"index.html", "generated/lessons/01_tape.html", "generated/glossary.html", "search.html"} <= pages
    assert "<svg" in (tmp_path / "site/_images/01_tape.svg").read_text("utf-8")


def test_the_page_on_simulation_says_what_every_grade_means():
    text = " ".join((DOCS / "howto/simulate.md").read_text(encoding="utf-8").split())
    missing = [m for grade, m in GRADE_MEANINGS.items() if not re.search(rf"\b{grade}, (an? )?{re.escape(m)}", text)]
    assert missing == []


def test_the_page_on_kernels_has_a_row_for_every_field_of_a_schedule():
    first_cells = [row[0] for row in rows_of((DOCS / "howto/kernel.md").read_text(encoding="utf-8"))]
    named = [name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(field.name for field in fields(Schedule))
