import gc

import pytest

from minigraph import Parameter, Tensor, jit, ops
from minigraph.core.errors import RenderError, UnknownNameError
from minigraph.operators.families import elementwise
from tests.tables import error_cases
from tests.viz import graphs
from tests.viz.explore.programs import Network, network, small
from viz import explorer

X = Tensor([1.0, 2.0])


@pytest.mark.parametrize("source", [small, jit(small)], ids=["function", "jit"])
def test_a_function_is_captured_and_every_pass_is_recorded(source):
    run = next(run for run in explorer(source, X).data["runs"] if run["kind"] == "graph")
    assert {record["name"] for record in run["passes"]} >= {"cse", "dce", "fuse_elementwise"} and run["steps"]


def test_a_graph_is_unchanged_and_its_page_can_be_saved_or_shown_in_a_notebook(tmp_path):
    graph = graphs.step()
    before = str(graph)
    page = explorer(graph, pipeline="")
    assert str(graph) == before and graph.journal is None
    assert page.save(tmp_path / "deep" / "page.html").read_text("utf-8") == page.html()
    frame = page._repr_html_()
    assert frame.startswith("<iframe srcdoc=") and "allow-same-origin" not in frame


test_invalid_arguments = error_cases(
    (lambda: explorer(3), RenderError, "explorer: int is neither a function nor a graph"),
    (lambda: explorer(Network), RenderError, "explorer: Network is neither a function nor a graph"),
    (lambda: explorer(small, X, chip="ascend91"), UnknownNameError, "ascend910"),
)


def test_attributes_of_a_cell_may_have_any_name():
    net, x = network(2)
    net.fn = net.graph = None
    page = explorer(net, x)
    assert [run["name"] for run in page.data["runs"]] == ["eager tape", "graph"] and page.title == "Network"


def test_branches_on_tensors_are_captured_like_jit():
    def clip(x):
        if x.sum() > 0:
            return x * 2.0
        return x

    page = explorer(clip, X)
    owners = page.data["runs"][1]["bodies"][::3]  # each followed by the head and the first row of a body
    assert any(owners.count(row) == 2 for row in owners)


def test_runs_of_other_sources_are_compared():
    other = jit(lambda x: ops.exp(x) * 2.0).graph(X, pipeline=())
    page = explorer(small, X, compare={"graph of another": {"source": other}, "function": {"source": ops.tanh}})
    assert [run["name"] for run in page.data["runs"]] == ["eager tape", "graph", "graph of another", "function"]
    assert [len(run["steps"]) for run in page.data["runs"]][3] == 0  # nothing to fuse
    assert page.data["runs"][2]["annotations"].get("values") and page.data["runs"][3]["annotations"].get("values")
    assert len(explorer(other, compare={"function": {"source": other.clone()}}).data["runs"]) == 2


def test_what_would_be_ignored_is_refused():
    with pytest.raises(RenderError, match=r"compare\['other'\] has no option 'pipelin'; use source, pipeline, chip"):
        explorer(small, X, compare={"other": {"pipelin": "cse"}})
    graph = jit(small).graph(X)
    for args, kwargs in (((X,), {}), ((), {"bogus": 3})):
        with pytest.raises(RenderError, match="a graph takes no arguments"):
            explorer(graph, *args, **kwargs)


def test_a_page_contains_the_tape_the_graph_and_runs_for_comparison():
    page = explorer(small, X, compare={"unfused": {"pipeline": "cse,dce"}, "small chip": {"chip": "ascend310p3"}})
    runs = {run["name"]: run for run in page.data["runs"]}
    assert list(runs) == ["eager tape", "graph", "unfused", "small chip"]
    assert [record["name"] for record in runs["unfused"]["passes"]] == ["cse", "dce"]
    assert runs["graph"]["timeline"]["cycles"] != runs["small chip"]["timeline"]["cycles"]
    assert runs["graph"]["annotations"]["values"] and runs["graph"]["annotations"]["costs"]


def test_without_values_nothing_is_executed():
    weight = Parameter(Tensor([1.0, 2.0]), name="w")
    before = weight.array
    page = explorer(lambda x: ops.assign(weight, weight + x), X, values=False)
    assert weight.array is before
    (run,) = page.data["runs"]
    assert run["name"] == "graph" and "values" not in run["annotations"]


def test_nested_bodies_have_separate_runs():
    def double(x):
        def inner(v):
            return ops.cond(v.sum() > 4.0, lambda u: ops.neg(ops.neg(u)) / 2.0, lambda u: u / 4.0, v)

        return ops.while_loop(lambda v: v.sum() > 1.0, inner, x)

    runs = explorer(double, Tensor([3.0, 5.0])).data["runs"]
    inside = [run["name"] for run in runs if run["name"].startswith("in %")]
    assert len(inside) == 1 and inside[0].count("%") == 2 and " while_loop: " in inside[0] and " cond: " in inside[0]
    assert runs[-1]["steps"] and not any("bodies" in run["annotations"] for run in runs[:-1])


def test_other_code_runs_with_the_garbage_collector_while_a_page_is_written():
    """Its state belongs to the process: a pass and the label of an operator see what the caller set."""
    seen = []

    def observe(graph):
        """observe -> observe: changes nothing"""
        seen.append(gc.isenabled())

    def label(attrs):
        seen.append(gc.isenabled())
        return "half"

    vjp = (lambda g, out, x: g / 2,)
    half = elementwise("half_with_label", lambda x: x / 2, vjp=vjp, kinds="f", into=False, doc="x / 2.", label=label)
    explorer(lambda x: half(x), X, pipeline=[observe])
    assert len(seen) >= 2 and all(seen)
