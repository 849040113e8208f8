"""The search of the explorer in a browser: words, regular expressions, source lines, scopes, and patterns."""

import pytest

from minigraph import Tensor, ops
from minigraph.examples import digits
from tests.chromium import needs_chromium
from tests.viz.explore.programs import network
from viz import explorer

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def training(tmp_path_factory):
    page = explorer(digits.train_step, *digits.example_inputs(), values=False)
    return page.save(tmp_path_factory.mktemp("page") / "page.html")


def test_search_finds_nodes_rules_and_passes(view):
    view.search("cross_entropy")
    assert "cross_entropy" in view.text(".results button")
    view.press("Enter")
    assert view.page.locator(".active .selected").count() == 1
    view.search("compose_transposes")
    view.press("Enter")
    assert "compose_transposes" in view.text(".steptext")
    view.search("no such thing anywhere")
    assert "no results" in view.text(".results")


def test_search_finds_scopes_file_and_line_regular_expressions_and_counts_them(visit, training):
    view = visit(training, viewport={"width": 1400, "height": 900})
    view.search("digits.py:32")
    assert view.text(".results li").startswith(f"{view.page.evaluate(LISTED)} results: ")
    kinds = set(view.page.locator(".results small").all_inner_texts())
    assert "node" in kinds and "digits.py:32" in kinds
    view.press("Enter")
    assert view.page.locator(".active .selected").count() == 1
    view.search("/^%\\d+ (relu|add)/")
    texts = view.page.locator(".results button span").all_inner_texts()
    assert texts and all(text.split()[1].startswith(("relu", "add")) for text in texts)
    view.page.keyboard.press("Escape")
    view.search("/(/")
    assert "not complete" in view.text(".results")


LISTED = "document.querySelector('.results li').textContent.match(/\\d+/)[0]"


def test_search_finds_scopes_and_opens_those_around_them(visit):
    view = visit(explorer(*network()))
    view.press("c")
    before = view.boxes()
    view.search("blocks/2/dense")
    assert "scope" in view.text(".results li")
    view.page.locator(".results button", has=view.page.locator("small", has_text="scope")).first.click()
    assert view.page.locator(".active .selected").count() == 1 and view.boxes() > before


def operators(x, w, b):
    """Operands in both orders, a value used twice, constants, an attribute and a method."""
    y = ops.relu(b + x @ w) + ops.relu(x @ w + b)
    return (x * x + x * b) / 2.0 - ops.softmax(y.T, axis=0) * -0.5 + y**2


PATTERNS = {
    "relu(x @ w + b)": 2,
    "ops.relu(b + ops.matmul(x, w))": 2,
    "x * x": 1,
    "x * y": 3,  # with the product by -0.5
    "_ / 2": 1,
    "x * -0.5": 1,
    "softmax(x.T)": 1,
    "softmax(x, axis=0)": 1,
    "softmax(x, axis=1)": 0,
    "relu(x) | softmax(x)": 3,
    "(x @ w + b).relu()": 2,
    "x ** 2": 1,
    "relu(relu(x))": 0,
    'maybe("relu", x @ w + b)': 2,
    'maybe("gelu", x @ w + b)': 2,
    'apply("relu", x)': 2,
    "softmax(x, axis=S.axis)": 1,
}


@pytest.fixture(scope="module")
def arithmetic(tmp_path_factory):
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    page = explorer(operators, x, x, x, values=False, pipeline="fuse_elementwise")
    return page.save(tmp_path_factory.mktemp("page") / "page.html")


@pytest.mark.parametrize("step", ["Home", "End"])
def test_search_finds_patterns_of_the_rule_language_also_in_fused_bodies(visit, arithmetic, step):
    view = visit(arithmetic)
    view.press(step)
    for pattern, matches in PATTERNS.items():
        view.search(pattern)
        assert view.page.locator(".results small", has_text="match").count() == matches, pattern
        assert f"{matches} match" in view.text(".results li") or not matches, pattern
        view.page.keyboard.press("Escape")


def test_a_match_marks_its_nodes_and_opens_the_kernel_around_them(visit, arithmetic):
    view = visit(arithmetic)
    view.press("End")
    view.search("relu(x @ w + b)")
    view.press("Enter")
    assert view.boxes(".matched") == 3 and view.page.locator(".frame.k-fused").count() >= 1
    view.press("Escape")
    assert view.boxes(".matched") == 0


@pytest.mark.parametrize(("text", "said"), [
    ("rellu(x @ w)", "no operator 'rellu' in this graph"), ("relu(w @ ", "an operand is missing at the end"),
    ("gelu(x", "')' is missing at the end"), ("softmax(softmax(x))", "no match of this pattern at this step"),
    ("x + * y", "an operand is missing before '*'"),
    ("chain(is_cheap, x @ w)", "the search has no 'chain'; write its operators one by one"),
    ("maybe(relu, x @ w)", """'maybe' takes the name of an operator in quotes first, such as maybe("relu", x)"""),
    ("maybe('relu', x, w)", "'maybe' takes one operand after the name, got 2"),
])  # fmt: skip
def test_a_pattern_without_matches_gives_the_reason(visit, arithmetic, text, said):
    view = visit(arithmetic)
    view.search(text)
    assert view.text(".results li") == f"no results: {said}"
