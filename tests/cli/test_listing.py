import pytest

from minigraph.cli.listing import LISTS
from minigraph.core.op import TABLE
from minigraph.npu import CHIPS, HOSTS
from passes import PASSES, PIPELINES, RULES, every_rule
from tests.passes.programs import BUILT_IN

OWN = """from passes import fuse, graph_pass


@graph_pass
def pass_of_listing(graph):
    '''x -> x: nothing at all.'''


PAIR_OF_LISTING = fuse("PairOfListing", lambda x: -(-x))
"""


@pytest.mark.parametrize("what, names", [("chips", CHIPS), ("hosts", HOSTS), ("operators", TABLE)])
def test_lists_name_everything_with_a_description(run_cli, what, names):
    code, out, _ = run_cli("list", what)
    lines = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert code == 0 and set(lines) == set(names) and all(lines.values())
    assert set(LISTS) == {"chips", "hosts", "operators"}


@pytest.fixture
def list_passes(run_cli):
    """The output of ``minigraph passes``: descriptions by section title and name."""

    def sections(*arguments):
        code, out, _ = run_cli("passes", *arguments)
        assert code == 0
        parts = (section.splitlines() for section in out.removesuffix("\n").split("\n\n"))
        return {title: dict(([*line.split(maxsplit=1), ""])[:2] for line in lines) for title, *lines in parts}

    return sections


def test_passes_names_every_pipeline_pass_and_rule_which_say_before_and_after(list_passes):
    sections = list_passes()
    assert "# fuse{rules=matmul}" in sections and "# rewrite{rules=canonical}" in sections
    assert set(sections.pop("# pipelines")) == set(PIPELINES)
    descriptions = {name: text for lines in sections.values() for name, text in lines.items()}
    assert set(sections.pop("# passes")) == set(PASSES)
    rules = [rule.name for _, rule in every_rule()]
    assert {name for lines in sections.values() for name in lines} == set(rules)
    assert [title.partition("=")[2].rstrip("}") for title in sections] == list(RULES)
    assert not [name for name in (*BUILT_IN, *rules) if " -> " not in descriptions[name]]


def test_passes_and_rules_of_a_file_are_named_too(write_file, list_passes):
    passes = list_passes("--load", write_file("own_of_listing.py", OWN))["# passes"]
    assert passes["pass_of_listing"] == "x -> x: nothing at all."
    assert passes["PairOfListing"] == "neg(neg(x)) -> fused"
