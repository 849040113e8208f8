"""Collective communication with one process."""

import importlib

import pytest

import minigraph as ms
from minigraph import communication
from minigraph.core.missing_names import mindspore_exports
from tests.tables import error_cases

WORLD, world_rank = communication.HCCL_WORLD_COMM_GROUP, communication.get_world_rank_from_group_rank


@pytest.fixture(autouse=True)
def release_groups():
    yield
    communication.release()


def test_it_is_imported_plainly():
    assert importlib.import_module("minigraph.communication") is ms.communication
    assert set(communication.__all__) <= mindspore_exports()["mindspore.communication"]
    with pytest.raises(AttributeError, match=r"mindspore\.communication\.GlobalComm exists in MindSpore 2\.10"):
        _ = communication.GlobalComm


@pytest.mark.parametrize("backend", [None, *communication.BACKENDS])
def test_there_is_one_process_in_every_group(backend):
    communication.init(backend)
    communication.create_group("mine", [0])
    for group in (WORLD, communication.NCCL_WORLD_COMM_GROUP, "mine"):
        assert communication.get_rank(group) == communication.get_local_rank(group) == 0
        assert communication.get_group_size(group) == communication.get_local_rank_size(group) == 1
        assert communication.get_process_group_ranks(group) == [0]
        assert world_rank(group, 0) == 0
        assert communication.get_group_rank_from_world_rank(0, group) == 0
    communication.destroy_group("mine")


test_what_is_refused = error_cases(
    (lambda: communication.init("smoke"), RuntimeError, "must be one of 'hccl', 'nccl' and 'mccl', but got"),
    (lambda: communication.init(3), TypeError, "'backend_name' must be a string, but got the type : <class 'int'>"),
    (lambda: communication.get_rank(3), TypeError, "For 'get_rank', the argument 'group' must be type of string"),
    (lambda: communication.create_group("two", [0, 1]), ValueError, r"there is one process, 0, got \[0, 1\]"),
    (lambda: communication.create_group("one", 0), TypeError, "give a name and a list of process numbers"),
    (lambda: communication.destroy_group("none"), ValueError, "destroy_group: no group 'none'"),
    (lambda: world_rank(WORLD, 1), ValueError, "there is one process, 0, got group_rank_id=1"),
    (lambda: communication.get_rank("mine"), ValueError, "get_rank: no group 'mine'; create one with create_group"),
)
