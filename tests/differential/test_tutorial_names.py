"""Every name in the code of MindSpore's tutorials: it runs here as there, or it is refused for a stated reason.

``tables/tutorial_names.txt`` lists the 268 names in the code of the tutorials (repository mindspore-ai/docs, without
those on clusters and boards) that MindSpore 2.10 has. A name runs if MindSpore runs a program of the grid that has it;
``test_differential.py`` compares the results.
"""

from pathlib import Path

import pytest

from minigraph.core.refused_names import reason_of_refusal
from tests.differential import recording
from tests.differential.call_tables import table
from tests.differential.grid import exists, grid
from tests.differential.names import groups_of

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "mindspore.md"
# names of a row of the page about differences, by the row's beginning: MindSpore needs a device, a cluster, a service
# or its own library for them
REFUSED = {
    "`dataset.DatasetCache`": "dataset.DatasetCache",
    "`dataset.serialize`, `dataset.deserialize`": "dataset.deserialize",
    "`nn.DistributedGradReducer`": "nn.DistributedGradReducer",
    "`ops.GenerateEodMaskV2`, `ops.NPUGetFloatStatus`": (
        "ops.auto_generate.GenerateEodMaskV2 ops.NPUAllocFloatStatus ops.NPUClearFloatStatus ops.NPUGetFloatStatus"
    ),
    "`ops.CustomOpBuilder`, `ops.CustomRegOp`, `ops.DataType`": (
        "ops.CustomOpBuilder ops.CustomRegOp ops.DataType ops.DataType.F32_Default ops.DataType.None_None"
    ),
}
REFUSED_NAMES = {name for names in REFUSED.values() for name in names.split()}
# names that exist here, and whose programs other tests run: MindSpore refuses them on one CPU, or needs OpenCV
RUN_ELSEWHERE = {
    "communication.init", "communication.management.init", "mint.nn.Conv2d", "mindrecord.Cifar10ToMR",
}  # fmt: skip


def tutorial_names():
    """The names, without ``mindspore``, in the order of the table."""
    names, module = [], ""
    for line in table("tutorial_names").splitlines():
        if line.startswith("["):
            module = line.strip("[]").removeprefix("mindspore").strip(".")
        else:
            names += [f"{module}.{name}".strip(".") for name in line.split()]
    return names


def groups_with_an_answer():
    """The groups of the grid of which MindSpore runs a program in PyNative mode."""
    recorded = recording.load()
    answered = [case for case in grid() if case.key in recorded and "error" not in (recorded[case.key][0] or {})]
    return {group for case in answered for group in case.group.split()}


def groups_of_path(path):
    """The groups that show a name: its own, those of its alias, and the primitive of that name."""
    module, _, name = path.rpartition(".")
    aliases = {f"communication.{name}"} if module == "communication.management" else {f"primitive.{name}"}
    return groups_of(module, name) | (aliases if module.startswith(("ops", "communication")) else set())


def test_names_are_counted():
    names = tutorial_names()
    assert len(names) == len(set(names)) == 268
    assert set(names) >= REFUSED_NAMES
    print(f"{len(names) - len(REFUSED_NAMES)} of {len(names)} names run here, {len(REFUSED_NAMES)} are refused")


def test_every_name_exists_or_is_refused():
    paths = {path: path.rpartition(".") for path in tutorial_names()}
    assert [path for path, (module, _, name) in paths.items() if not exists(module, name)] == sorted(
        REFUSED_NAMES, key=list(paths).index
    )


def test_a_program_of_every_name_runs_as_in_mindspore():
    answered = groups_with_an_answer()
    unproved = {path for path in set(tutorial_names()) - REFUSED_NAMES if not answered & groups_of_path(path)}
    assert unproved == RUN_ELSEWHERE


@pytest.mark.parametrize("row", REFUSED)
def test_a_refused_name_has_a_reason_and_a_row(row):
    assert f"\n| {row}" in PAGE.read_text("utf-8")
    for path in REFUSED[row].split():
        module, _, name = path.rpartition(".")
        reasons = [reason_of_refusal(f"{part}.{name}") for part in (module, module.partition(".")[0])]
        assert any(reasons), path
