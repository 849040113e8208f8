import pytest

from minigraph.cli import main
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
def test_lists_name_everything_with_a_word_on_it(capsys, what, names):
    assert main(["list", what]) == 0
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert set(lines) == set(names) and all(lines.values())
    assert set(LISTS) == {"chips", "hosts", "operators"}


def listed(capsys, *arguments):
    """By title: what each name is said to do."""
    assert main(["passes", *arguments]) == 0
    sections = capsys.readouterr().out.removesuffix("\n").split("\n\n")
    return {title: dict(([*line.split(maxsplit=1), ""])[:2] for line in lines) for title, *lines in
            (section.splitlines() for section in sections)}  # fmt: skip


def test_passes_names_every_pipeline_pass_and_rule(capsys):
    sections = listed(capsys)
    assert set(sections.pop("# pipelines")) == set(PIPELINES)
    assert set(sections.pop("# passes")) == set(PASSES)
    assert {name for lines in sections.values() for name in lines} == {rule.name for _, rule in every_rule()}
    assert [title.partition("=")[2].rstrip("}") for title in sections] == list(RULES)


def test_every_pass_and_rule_says_before_and_after(capsys):
    sections = listed(capsys)
    del sections["# pipelines"]
    told = {name: text for lines in sections.values() for name, text in lines.items()}
    assert not [name for name in (*BUILT_IN, *(rule.name for _, rule in every_rule())) if " -> " not in told[name]]


def test_the_title_of_a_set_of_rules_is_a_pass(capsys):
    assert "# fuse{rules=matmul}" in listed(capsys) and "# rewrite{rules=canonical}" in listed(capsys)


def test_passes_and_rules_of_a_file_are_named_too(tmp_path, capsys):
    (tmp_path / "own_of_listing.py").write_text(OWN)
    passes = listed(capsys, "--load", str(tmp_path / "own_of_listing.py"))["# passes"]
    assert passes["pass_of_listing"] == "x -> x: nothing at all."
    assert passes["PairOfListing"] == "neg(neg(x)) -> fused"
