import json
import re
from importlib.resources import files

import pytest

from tests.viz.explore.programs import HOSTILE_NAMES
from tests.viz.graphs import Tags
from viz.common.style import CHANGE_STYLES, NODE_STYLES, QUEUES
from viz.explore.html import SCRIPTS, explorer_html, script, script_json, stylesheet


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_no_text_leaves_its_element(name):
    text = script_json({name: [name]})
    assert not re.search("[<>&]", text) and json.loads(text) == {name: [name]}
    tags = [tag for tag, _ in Tags(explorer_html(name, {"title": name})).tags]
    assert tags.count("script") == 2 and "b" not in tags


def test_nothing_is_loaded_from_anywhere():
    page = explorer_html("t", {})
    code = script()
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"\b(fetch|XMLHttpRequest|import|eval|innerHTML|insertAdjacentHTML)\b", code)
    policy = next(attrs["content"] for tag, attrs in Tags(page).tags if attrs.get("http-equiv"))
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy


def test_every_script_is_bundled_once_is_short_and_starts_with_a_comment():
    for name in SCRIPTS:
        lines = (files("viz.explore") / "js" / f"{name}.js").read_text("utf-8").splitlines()
        assert lines[0].startswith("// ") and len(lines) <= 300, name
        assert script().count(f"// ---- {name}\n") == 1, name


def test_no_name_is_declared_twice_in_the_scope_that_the_scripts_share():
    declared = re.findall(r"^(?:function|const|let|class) (\w+)", script(), re.MULTILINE)
    unpacked = re.findall(r"^const [\[{](.*?)[\]}] =", script(), re.MULTILINE)
    declared += [name for names in unpacked for name in names.split(", ")]
    duplicates = {name for name in declared if declared.count(name) > 1}
    assert len(declared) > 150 and not duplicates


def test_all_colours_come_from_the_one_table():
    css = stylesheet()
    names = [
        *(f"k-{kind}" for kind in NODE_STYLES),
        *(f"m-{status}" for status in CHANGE_STYLES),
        *(f"q-{name}" for name in QUEUES),
    ]
    assert all(css.count(f"--{name}-fill: ") == 2 for name in names)


def test_no_two_scripts_define_the_same_name():
    names = re.findall(r"^(?:function|const|let|class) (\w+)", script((*SCRIPTS, "workbench")), re.MULTILINE)
    assert len(names) > 200 and not {name for name in names if names.count(name) > 1} - {"start"}
