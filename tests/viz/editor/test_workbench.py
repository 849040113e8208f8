import json
import re

import pytest

from minigraph import Parameter, Tensor, ops
from minigraph.core.errors import RenderError, UnknownNameError
from passes import PASSES, graph_pass
from tests.tables import error_cases
from tests.viz.explore.programs import Network, network, small
from viz import workbench

X = Tensor([1.0, 2.0])
PIPELINE = "cse,fuse_elementwise,dce"


@pytest.fixture
def breaks_in_python():
    """A user's pass with a mistake, registered for one test."""

    @graph_pass("breaks_in_python")
    def mistake(graph):
        raise ZeroDivisionError("no nodes per second")

    yield
    del PASSES["breaks_in_python"]


@pytest.fixture(scope="module")
def bench():
    return workbench(small, X, pipeline=PIPELINE)


def final_cycles(data, run=0):
    return data["runs"][run]["passes"][-1]["cycles"][1]


def test_a_pipeline_is_run_again_on_the_captured_graph(bench):
    full, without = (bench.run(text)["data"] for text in (PIPELINE, "cse,dce"))
    assert [run["name"] for run in full["runs"]] == ["this pipeline"]
    assert [run["name"] for run in without["runs"]] == ["this pipeline", "initial pipeline"]
    assert final_cycles(without) > final_cycles(without, 1) == final_cycles(full)
    assert without["workbench"]["steps"] == [("cse", 1), ("dce", 1)]
    assert len(bench.graph) == full["runs"][0]["passes"][0]["nodes"][0]


@pytest.mark.parametrize("text", ["fix(cse,dce),fuse_elementwise{max_nodes=3}", "default", "graph_kernel", ""])
def test_records_belong_to_the_steps_of_the_pipeline(bench, text):
    data = bench.run(text)["data"]
    assert sum(size for _, size in data["workbench"]["steps"]) == len(data["runs"][0]["passes"])
    assert bench.run(",".join(step for step, _ in data["workbench"]["steps"]))["data"]["workbench"] == data["workbench"]


@pytest.mark.parametrize(("text", "message"), [
    ("cse,dec", r"no pass 'dec'; did you mean 'dce'\?\n  cse,dec\n      \^"),
    ("fix(cse", r"fix\(cse"),
    ("breaks_in_python", r"ZeroDivisionError: no nodes per second \(test_workbench.py:\d+\)\n.*breaks_in_python"),
])  # fmt: skip
def test_errors_equal_the_terminals(bench, breaks_in_python, text, message):
    response = bench.run(text)
    assert list(response) == ["error"] and re.search(message, response["error"])


def test_a_static_page_has_the_pipeline_without_each_pass_and_with_neighbours_exchanged(bench, tmp_path):
    page = bench.save(tmp_path / "page.html").read_text("utf-8")
    data = json.loads(re.search('id="data">(.*?)</script>', page)[1])
    assert {run["name"] for run in data["runs"]} == {
        "initial pipeline", "without cse", "without fuse_elementwise", "without dce",
        "fuse_elementwise before cse", "dce before fuse_elementwise",
    }  # fmt: skip
    variants = data["workbench"]["variants"]
    assert set(variants) == {
        PIPELINE, "fuse_elementwise,dce", "cse,dce", "cse,fuse_elementwise", "fuse_elementwise,cse,dce",
        "cse,dce,fuse_elementwise",
    }  # fmt: skip
    for text, variant in variants.items():
        assert final_cycles(data, variant["run"]) == final_cycles(bench.run(text)["data"])
    assert "connect-src 'none'" in page and data["workbench"]["mode"] == "static"


def test_an_invalid_exchange_of_neighbours_is_an_error_of_the_static_page():
    def shared(x):
        return ops.softmax(x @ x) + 1.0

    variants = workbench(shared, Tensor([[1.0]]))._precompute()["workbench"]["variants"]
    assert all(set(variant) in ({"run", "steps"}, {"error"}) for variant in variants.values())


def test_parameters_are_not_changed():
    weight = Parameter(Tensor([1.0]), name="weight")

    def step(x):
        return ops.depend(x * weight, ops.assign(weight, weight + x))

    bench = workbench(step, Tensor([2.0]))
    bench.run("cse")
    assert weight.asnumpy().tolist() == [1.0]


def test_without_values_nothing_is_executed():
    (run,) = workbench(*network(2), values=False).run("default")["data"]["runs"]
    assert "values" not in run["annotations"]


test_invalid_arguments = error_cases(
    (lambda: workbench(3), RenderError, "workbench: int is neither a function nor a graph"),
    (lambda: workbench(Network), RenderError, "workbench: Network is neither a function nor a graph"),
    (lambda: workbench(small, X, chip="ascend91"), UnknownNameError, "ascend910"),
    (lambda: workbench(small, X, pipeline="cse,dec"), UnknownNameError, "did you mean 'dce'"),
)
