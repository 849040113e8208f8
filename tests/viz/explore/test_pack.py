import json

from minigraph.ir.text import to_text
from tests.viz import graphs
from tests.viz.explore.programs import run_of, small_run
from viz.explore.api import filmed
from viz.explore.html import embedded
from viz.explore.pack import Tables, Words, packed


def data_of(run):
    tables = Tables()
    found = packed(run, tables)
    return json.loads(json.dumps(found)), tables.packed()


def test_words_are_kept_once():
    words = Words()
    assert [words("a"), words("b"), words("a")] == [0, 1, 0] and words.listed() == ["a", "b"]


def test_columns_are_as_long_as_the_table():
    run, shared = data_of(run_of())
    rows = len(run["id"])
    assert all(len(run[name]) == rows for name in ("op", "label", "ins", "parent"))
    assert all(len(run[name]) == rows - len(run["outputs"]) for name in ("attrs", "types", "loc", "by"))
    assert max(run["label"]) < len(shared["texts"]) and max(run["op"]) < len(shared["ops"])
    assert all(place < len(shared["places"]) for loc in shared["locs"] for place in loc)


def test_operands_are_distances_and_lead_to_rows():
    run, _ = data_of(small_run())
    for row, ins in enumerate(run["ins"]):
        assert all(0 <= row - (ref[0] if isinstance(ref, list) else ref) < len(run["ins"]) for ref in ins)


def test_a_second_result_keeps_its_number():
    run, _ = data_of(filmed(graphs.fused_step(), ""))
    assert any(isinstance(ref, list) and ref[1] == 1 for ins in run["ins"] for ref in ins)


def test_passes_say_what_their_rules_did_and_did_not():
    run, _ = data_of(small_run())
    told = {rule[0]: rule for one in run["passes"] for rule in one["rules"]}
    name, text, loc, doc, tries, rewrites, _refused, _ms = told["neg_neg"]
    assert (name, rewrites) == ("neg_neg", 1) and "neg(neg(x))" in text and loc and doc and tries
    assert any(not rule[5] for rule in told.values())


def test_the_first_state_is_the_captured_graph():
    made = run_of()
    run, _ = data_of(made)
    assert [run["id"][row] for row in run["first"]] == made.film.order
    assert run["title"] == made.film.graph.title


def test_a_body_says_how_it_is_headed():
    made = run_of()
    run, shared = data_of(made)
    text = to_text(made.film.graph, literals=False)
    for bodies in run["bodies"].values():
        for title, _, _, head in bodies:
            assert f"graph {shared['texts'][title]}(" in text and head == ""


def test_twenty_thousand_nodes_stay_below_two_megabytes():
    made = filmed(graphs.random_dag(20_000), "")
    tables = Tables()
    data = {"runs": [packed(made, tables)], **tables.packed()}
    assert len(embedded(data)) < 2_000_000
