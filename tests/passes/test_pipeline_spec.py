"""Pipelines by name and as text, parsed and printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigraph.core.errors import MinigraphError, ParseError, UnknownNameError, UsageError
from passes import DEFAULT, PASSES, PIPELINES, FixedPoint, Pipeline, as_pipeline
from tests.passes.small_graphs import named_rule
from tests.tables import cases, error_cases

DEFAULT_TEXT = ",".join(step.name for step in DEFAULT)


@cases(
    ("default", DEFAULT_TEXT),
    ("none", ""),
    ("", ""),
    ((), ""),
    ([], ""),
    ("dce", "dce"),
    (PASSES["dce"], "dce"),
    (" dce , cse ", "dce,cse"),
    ("fix(cse,dce),dce", "fix(cse,dce),dce"),
    ("fuse_elementwise{max_nodes=8}", "fuse_elementwise{max_nodes=8}"),
    ("fuse_elementwise{max_nodes=64}", "fuse_elementwise"),
    ("fuse{rules=cube}", "fuse"),
    ("lower_depend,canonicalize{max_sweeps=8},fix(cse,dce)", "lower_depend,canonicalize{max_sweeps=8},fix(cse,dce)"),
    ("fuse{rules=(conv, MatMulBias)}", "fuse{rules=(conv, MatMulBias)}"),
    ("lower_depend,fix(cse,dce),rewrite{rules=mul_one}", "lower_depend,fix(cse,dce),rewrite{rules=mul_one}"),
    ("fix(none,dce)", "fix(dce)"),
    ("fix(fuse_elementwise{max_nodes=8}, dce)", "fix(fuse_elementwise{max_nodes=8},dce)"),
    (("dce", PASSES["cse"], "fix(cse,dce)"), "dce,cse,fix(cse,dce)"),
    (("default", "dce"), DEFAULT_TEXT + ",dce"),
    ("default,none,dce", DEFAULT_TEXT + ",dce"),
    ("dce,", "dce"),
)
def test_every_form_is_one_pipeline_and_prints_as_text_that_reads_back(spec, text):
    pipeline = as_pipeline(spec)
    assert str(pipeline) == text
    assert str(as_pipeline(str(pipeline))) == text
    assert as_pipeline(pipeline) is pipeline


SOME_PASSES = st.one_of(
    st.sampled_from([PASSES[name] for name in sorted(PASSES)]),
    st.builds(lambda n: PASSES["fuse_elementwise"].with_options(max_nodes=n), st.integers(-9, 2**70)),
    st.builds(
        lambda rules: PASSES["fuse"].with_options(rules=rules), st.sampled_from(["cube", "ConvBias", ("conv",), ()])
    ),
)


FIXED_POINTS = st.builds(FixedPoint, st.lists(SOME_PASSES, max_size=4).map(tuple))


@given(st.lists(st.one_of(SOME_PASSES, FIXED_POINTS), max_size=6))
def test_every_pipeline_reads_back_equal(steps):
    pipeline = Pipeline(steps)
    again = as_pipeline(str(pipeline))
    assert again == pipeline and str(again) == str(pipeline) and hash(again) == hash(pipeline)


def test_pipelines_differ_by_steps_options_and_verification():
    assert as_pipeline("dce") != as_pipeline("cse")
    assert as_pipeline("dce") != as_pipeline("fix(dce)")
    assert as_pipeline("fuse_elementwise") != as_pipeline("fuse_elementwise{max_nodes=8}")
    assert Pipeline(["dce"]) != Pipeline(["dce"], verify=False)


@given(st.text(alphabet="dcesfix(){}=,. \"'<f32[1", max_size=24))
def test_every_text_parses_or_is_an_error(text):
    try:
        as_pipeline(text)
    except MinigraphError as error:
        assert str(error).count("\n") <= 2


def test_rules_and_functions_are_steps():
    square = named_rule("square", lambda x: (x * x, x + x))

    def mine(graph, *, options):
        """Nothing."""

    assert str(as_pipeline((square, mine))) == "square,mine"


test_other_values_are_no_pipeline = error_cases(
    ("dec", UnknownNameError, r"^no pass 'dec'; did you mean 'dce'\?\n  dec\n  \^$"),
    ("cse,fix(dce,dec)", UnknownNameError, r"\n  cse,fix\(dce,dec\)\n {14}\^$"),
    ("cse,fuse{rules=cub}", UnknownNameError, r"no rules 'cub'; did you mean 'cube'\?\n.*\n {11}\^$"),
    ("fuse_elementwise{max_nodes=many}", UsageError, r"takes int, as in max_nodes=64, not 'many'\n.*\n {19}\^$"),
    ("fuse_elementwise{max_nodes=1.5}", UsageError, "takes int"),
    ("fuse_elementwise{max_nodes=f32(}", ParseError, r"\n.*\n *\^$"),
    ("defualt", UnknownNameError, "no pass 'defualt'; did you mean 'default'"),
    ("dce cse", ParseError, r"pipeline: expected ',' after a pass\n  dce cse\n      \^$"),
    ("fix(dce", ParseError, r"expected '\)'"),
    ("dce{size=1}", UnknownNameError, "pass 'dce' has no option 'size'"),
    ("fuse_elementwise{max_nodes}", ParseError, "expected '=' after attribute 'max_nodes'"),
    ("dce,,cse", ParseError, "expected a name"),
    (3, UsageError, "3 is not a Pipeline"),
    ((3,), UsageError, "3 is not a pass"),
    by=as_pipeline,
)


@pytest.mark.parametrize("name", PIPELINES)
def test_every_name_is_a_pipeline(name):
    assert as_pipeline(name).steps == tuple(PIPELINES[name])
