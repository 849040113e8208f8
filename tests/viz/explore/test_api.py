import pytest

from minigraph import Parameter, Tensor, jit, ops
from minigraph.core.errors import RenderError, UnknownName
from tests.tables import refusals
from tests.viz import graphs
from tests.viz.explore.programs import Network, network, small
from viz import explorer

X = Tensor([1.0, 2.0])


@pytest.mark.parametrize("source", [small, jit(small)], ids=["function", "jit"])
def test_a_function_is_captured_and_every_pass_is_kept(source):
    run = next(run for run in explorer(source, X).data["runs"] if run["kind"] == "graph")
    assert {one["name"] for one in run["passes"]} >= {"cse", "dce", "fuse_elementwise"} and run["steps"]


def test_a_graph_is_not_changed_but_saved_whole_and_shown_in_a_frame(tmp_path):
    graph = graphs.step()
    before = str(graph)
    made = explorer(graph, pipeline="")
    assert str(graph) == before and graph.journal is None
    assert made.save(tmp_path / "deep" / "page.html").read_text("utf-8") == made.html()
    shown = made._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "allow-same-origin" not in shown


test_what_is_refused = refusals(
    (lambda: explorer(3), RenderError, "explorer: int is neither a function nor a graph"),
    (lambda: explorer(Network), RenderError, "explorer: Network is neither a function nor a graph"),
    (lambda: explorer(small, X, chip="ascend91"), UnknownName, "ascend910"),
)


def test_a_cell_is_explored_whatever_its_attributes_are_called():
    net, x = network(2)
    net.fn = net.graph = None
    made = explorer(net, x)
    assert [run["name"] for run in made.data["runs"]] == ["eager tape", "graph"] and made.title == "Network"


def test_branches_on_tensors_are_captured_as_jit_does():
    def clipped(x):
        if x.sum() > 0:
            return x * 2.0
        return x

    made = explorer(clipped, X)
    assert any(len(bodies) == 2 for bodies in made.data["runs"][1]["bodies"].values())


def test_the_tape_the_graph_and_runs_to_compare_with():
    made = explorer(small, X, compare={"unfused": {"pipeline": "cse,dce"}, "small chip": {"chip": "ascend310p3"}})
    runs = {run["name"]: run for run in made.data["runs"]}
    assert list(runs) == ["eager tape", "graph", "unfused", "small chip"]
    assert [one["name"] for one in runs["unfused"]["passes"]] == ["cse", "dce"]
    assert runs["graph"]["timeline"]["cycles"] != runs["small chip"]["timeline"]["cycles"]
    assert runs["graph"]["told"]["values"] and runs["graph"]["told"]["costs"]


def test_without_values_nothing_is_run():
    weight = Parameter(Tensor([1.0, 2.0]), name="w")
    before = weight.array
    made = explorer(lambda x: ops.assign(weight, weight + x), X, values=False)
    assert weight.array is before
    assert [run["name"] for run in made.data["runs"]] == ["graph"] and "values" not in made.data["runs"][0]["told"]


def test_bodies_in_bodies_have_runs_of_their_own():
    def twice(x):
        def inner(v):
            return ops.cond(v.sum() > 4.0, lambda u: ops.neg(ops.neg(u)) / 2.0, lambda u: u / 4.0, v)

        return ops.while_loop(lambda v: v.sum() > 1.0, inner, x)

    runs = explorer(twice, Tensor([3.0, 5.0])).data["runs"]
    inside = [run["name"] for run in runs if run["name"].startswith("in %")]
    assert len(inside) == 1 and inside[0].count("%") == 2 and " while_loop: " in inside[0] and " cond: " in inside[0]
    assert runs[-1]["steps"] and not any("bodies" in run["told"] for run in runs[:-1])
