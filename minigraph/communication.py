"""Processes that work together, under MindSpore's names: here there is one, so its number is 0 of 1.

Programs written for several devices run on one: ``init`` begins nothing, and a group holds process 0 alone.
"""

from __future__ import annotations

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError
from minigraph.core.missing_names import communication_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.core.module_paths import add_module_path

__all__ = [
    "HCCL_WORLD_COMM_GROUP", "MCCL_WORLD_COMM_GROUP", "NCCL_WORLD_COMM_GROUP", "create_group", "destroy_group",
    "get_group_rank_from_world_rank", "get_group_size", "get_local_rank", "get_local_rank_size",
    "get_process_group_ranks", "get_rank", "get_world_rank_from_group_rank", "init", "release",
]  # fmt: skip

HCCL_WORLD_COMM_GROUP = "hccl_world_group"
NCCL_WORLD_COMM_GROUP = "nccl_world_group"
MCCL_WORLD_COMM_GROUP = "mccl_world_group"
BACKENDS = ("hccl", "nccl", "mccl")
_groups: set[str] = set()


def init(backend_name: str | None = None) -> None:
    """Begin working together: nothing to do for one process.

    Raises ``TypeError`` or ``RuntimeError`` for a ``backend_name`` other than "hccl", "nccl" and "mccl".

    >>> init()
    >>> get_rank(), get_group_size()
    (0, 1)
    """
    if backend_name is None:
        return
    if not isinstance(backend_name, str):
        kind = type(backend_name)
        raise ArgTypeError(f"For 'init', the argument 'backend_name' must be a string, but got the type : {kind}")
    if backend_name not in BACKENDS:
        text = f"must be one of 'hccl', 'nccl' and 'mccl', but got 'backend_name' : {backend_name}"
        raise ArgRuntimeError(f"For 'init', the argument 'backend_name' {text}")


def release() -> None:
    """End working together, and forget all groups."""
    _groups.clear()


def get_rank(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """The number of this process in a group: 0."""
    _check_group("get_rank", group)
    return 0


def get_local_rank(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """The number of this process among the processes of its machine: 0."""
    _check_group("get_local_rank", group)
    return 0


def get_group_size(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """How many processes a group has: 1."""
    _check_group("get_group_size", group)
    return 1


def get_local_rank_size(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """How many processes of a group are on this machine: 1."""
    _check_group("get_local_rank_size", group)
    return 1


def get_process_group_ranks(group: str = HCCL_WORLD_COMM_GROUP) -> list[int]:
    """The numbers of the processes of a group: [0]."""
    _check_group("get_process_group_ranks", group)
    return [0]


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """The number among all of the process with a number in a group; raises ``ValueError`` for others than 0."""
    _check_group("get_world_rank_from_group_rank", group)
    return _check_zero("get_world_rank_from_group_rank", "group_rank_id", group_rank_id)


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """The number in a group of the process with a number among all; raises ``ValueError`` for others than 0."""
    _check_group("get_group_rank_from_world_rank", group)
    return _check_zero("get_group_rank_from_world_rank", "world_rank_id", world_rank_id)


def create_group(group: str, rank_ids: list[int], options: object = None) -> None:
    """A group of process 0; raises ``ValueError`` for other processes, which there are not."""
    if not isinstance(group, str) or not isinstance(rank_ids, list):
        raise ArgTypeError("create_group: give a name and a list of process numbers, as in create_group('g', [0])")
    if rank_ids != [0]:
        raise ArgValueError(f"create_group: there is one process, 0, got {rank_ids}; minigraph runs on one device")
    _groups.add(group)


def destroy_group(group: str) -> None:
    """Forget a group; raises ``ValueError`` for one that ``create_group`` did not create."""
    if group not in _groups:
        raise ArgValueError(f"destroy_group: no group {group!r}; create one with create_group")
    _groups.discard(group)


def _check_group(name: str, group: object) -> None:
    if not isinstance(group, str):
        text = f"must be type of string, but got 'group' type : {type(group)}."
        raise ArgTypeError(f"For '{name}', the argument 'group' {text}")
    if group not in (HCCL_WORLD_COMM_GROUP, NCCL_WORLD_COMM_GROUP, MCCL_WORLD_COMM_GROUP, *_groups):
        raise ArgValueError(f"{name}: no group {group!r}; create one with create_group")


def _check_zero(name: str, argument: str, number: object) -> int:
    if number != 0:
        raise ArgValueError(f"{name}: there is one process, 0, got {argument}={number!r}")
    return 0


add_module_path(__name__, "management")
