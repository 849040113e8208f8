import json

import numpy as np

from minigraph import Tensor, jit
from minigraph.ir.text import to_text
from tests.viz import graphs
from tests.viz.explore.programs import run_of, small_run
from viz.explore.api import record_run
from viz.explore.html import script_json
from viz.explore.pack import InternTable, Tables, pack_run


def data_of(run):
    tables = Tables()
    data = pack_run(run, tables)
    return json.loads(json.dumps(data)), tables.pack()


def test_equal_texts_and_levels_are_stored_once():
    texts = InternTable()
    assert [texts("a"), texts("b"), texts("a")] == [0, 1, 0] and texts.values() == ["a", "b"]
    run, _ = data_of(run_of(12))
    assert len(run["shapes"]) < len(run["levels"]) / 3 and len(run["heads"]) < len(run["bodies"]) / 9
    assert len(operand_lists_of(run)) < len(run["in_edges"]) / 3


def decode_runs(runs, step=0):
    return [first + n * step for first, times in zip(runs[::2], runs[1::2], strict=True) for n in range(times)]


def bodies_of(run):
    """Title, first row, number of rows, inputs, results and head of every body."""
    bodies = [(run["heads"][head], first) for head, first in zip(run["bodies"][1::3], run["bodies"][2::3], strict=True)]
    return [(title, first, *rest) for (title, *rest), first in bodies]


def operands_of(run):
    """The operands of every row, as the data has them."""
    lists = operand_lists_of(run)
    return [lists[number] for number in run["in_edges"]]


def operand_lists_of(run):
    """The operands of all different incoming edges."""
    flat, lists = iter(run["in_edge_table"]), []
    for size in flat:
        lists.append([next(flat) for _ in range(size)] if size >= 0 else run["special"][-1 - size][0])
    return lists


def test_columns_are_as_long_as_the_table():
    run, shared = data_of(run_of())
    rows = len(run["in_edges"])
    assert len(run["what"]) == len(decode_runs(run["id"], 1)) == rows
    inside = sum(size for _, _, size, *_ in bodies_of(run))
    assert len(decode_runs(run["parent"])) == rows - inside and len(run["loc"]) == rows - len(run["outputs"])
    assert max(run["what"]) < len(shared["descriptions"])
    assert max(word for description in shared["descriptions"] for word in description[1:]) < len(shared["texts"])
    assert all(position < len(shared["positions"]) for loc in shared["locs"] for position in loc)
    assert len(run["levels"]) == len(run["frames"]) / 4 + 1 and max(run["levels"]) < len(run["shapes"])


def test_every_output_has_its_own_label():
    tables = Tables()
    packed = pack_run(record_run(graphs.fused_step(), ""), tables)
    data = tables.pack()
    labels = [data["texts"][data["descriptions"][packed["what"][row]][1]] for row in packed["outputs"]]
    assert labels == ["output 0", "output 1"]


def test_operands_are_distances_to_rows_and_second_results_keep_their_number():
    run, _ = data_of(small_run())
    for row, ins in enumerate(operands_of(run)):
        assert all(0 <= row - (ref[0] if isinstance(ref, list) else ref) < len(run["in_edges"]) for ref in ins)
    run, _ = data_of(record_run(graphs.fused_step(), ""))
    assert any(isinstance(ref, list) and ref[1] == 1 for ins in operands_of(run) for ref in ins)


def test_steps_and_their_changes_are_flat_lists_of_numbers():
    source = small_run()
    run, shared = data_of(source)
    assert [shared["texts"][rule] for rule in run["steps"][1::5]] == [step.rule for step in source.steps]
    assert sum(run["steps"][4::5]) == len(run["changes"]) and len(run["steps"]) == 5 * len(source.steps)
    columns = ("steps", "changes", "in_edge_table", "frames")
    assert {type(number) for name in columns for number in run[name]} == {int}
    ordered, _ = data_of(record_run(graphs.fused_step(), ""))
    assert any(before for _, before in ordered["special"])


def rules_of(run):
    """The packed rules of a run by name."""
    return {rule[0]: rule for record in run["passes"] for rule in record["rules"]}


def test_passes_contain_the_statistics_of_their_rules():
    run, shared = data_of(small_run())
    rules = rules_of(run)
    name, text, loc, doc, tries, rewrites, _rejected, _ms, code = rules["neg_neg"]
    assert (name, rewrites) == ("neg_neg", 1) and "neg(neg(x))" in text and loc and doc and tries
    assert "def neg_neg(x" in shared["texts"][code]
    assert any(not rule[5] for rule in rules.values())


def test_rules_contain_rejected_matches():
    x, w, b = (Tensor(np.ones(shape, np.float32)) for shape in ((2, 2), (2, 2), (2,)))
    shared = jit(lambda x, w, b: (lambda product: (product + b, product * 2.0))(x @ w))
    source = record_run(shared.graph(x, w, b, pipeline=()), "default")
    run, _ = data_of(source)
    ((reason, times, rows),) = rules_of(run)["MatMulBias"][6]
    assert (reason, times) == ("other uses", 1)
    assert [source.journal.nodes[decode_runs(run["id"], 1)[row]]["op"].name for row in rows] == ["add"]


def test_the_first_state_is_the_captured_graph_and_a_body_has_the_head_of_its_text():
    source = run_of()
    run, shared = data_of(source)
    bodies = bodies_of(run)
    inside = {row for _, first, size, *_ in bodies for row in range(first, first + size)}
    tops = [node for row, node in enumerate(decode_runs(run["id"], 1)) if row not in inside]
    assert tops[: run["first"]] == source.journal.order
    assert run["title"] == source.journal.graph.title
    text = to_text(source.journal.graph, literals=False)
    for title, *_, head in bodies:
        assert f"graph {shared['texts'][title]}(" in text and head == ""


def test_twenty_thousand_nodes_stay_below_two_megabytes():
    run = record_run(graphs.random_dag(20_000), "")
    tables = Tables()
    data = {"runs": [pack_run(run, tables)], **tables.pack()}
    assert len(script_json(data)) < 2_000_000
