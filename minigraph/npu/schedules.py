"""Schedules of single tasks: by node or name, from Python or a TOML file, and the schedule of a plan.

A table of a file is a task: a node such as ``"%3"``, an operator's name, or ``"*"`` for all others. Its entries are the
fields of ``Schedule``; the sub-table ``vector`` is the vector work that follows a product.

>>> parse_schedules("kernel.toml", "[matmul]\\nbase = [128, 256, 64]\\nbuffers = 2")
{'matmul': Schedule(buffers=2, base=(128, 256, 64))}
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from itertools import chain
from math import ceil
from pathlib import Path

from minigraph.core.deprecated_names import warn_renamed
from minigraph.core.errors import UnknownNameError, UsageError, did_you_mean
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.tensor.conversion import short_repr
from minigraph.ir.graph_reader import GraphReader
from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling.layout import layout_of
from minigraph.npu.tiling.plan import CubePlan, Job, Layout, VectorPlan
from minigraph.npu.tiling.schedule import DEFAULT, RENAMED_FIELDS, Schedule

Schedules = Schedule | Mapping[int | str, Schedule] | Mapping[int, Schedule] | Mapping[str, Schedule]
WILDCARD = "*"  # the key of all tasks without one of their own
SCHEDULE_FIELDS = tuple(field.name for field in fields(Schedule))
LOOP_ORDERS = {"a": "n", "b": "m"}  # the loop order in which a resident operand stays


def task_names(graph: GraphReader, node: int) -> tuple[str, str, str]:
    """The names by which a task can be given: its node, its label, its operator's name."""
    op = graph.op(node)
    return f"%{node}", op.label_of(graph.attrs(node)), op.name


def task_named(graph: GraphReader, tasks: Iterable[int], name: int | str) -> int:
    """The first task of a name or node id; ``UnknownNameError`` has the nearest name, or the fused node it is in."""
    nodes = [*tasks]
    names = {name: node for node in reversed(nodes) for name in reversed(task_names(graph, node))}
    key = f"%{name}" if isinstance(name, int) else name
    if key not in names:
        fused = next((node for node in nodes if key in _names_inside(graph, node)), None)
        if fused is not None:
            fused_name = " ".join(task_names(graph, fused)[:2])
            raise UnknownNameError(f"no task '{key}' in {graph.title}; it is fused in {fused_name}, so name that")
        raise UnknownNameError(f"no task '{key}' in {graph.title}{did_you_mean(key, names)}")
    return names[key]


def _names_inside(graph: GraphReader, node: int) -> set[str]:
    """The names of the operators in a fused node."""
    bodies = graph.regions(node) if graph.op(node).role == "fused" else ()
    return {body.op(inner).name for body in bodies for inner in body}


def schedules_by_node(graph: GraphReader, jobs: Iterable[tuple[int, Job]], schedules: Schedules) -> dict[int, Schedule]:
    """The schedule of every task; an entry for the node precedes an entry for its name, and both precede ``"*"``.

    Raises ``UnknownNameError`` for a name that no task has, and ``UsageError`` for a field that does not apply.
    """
    pairs = list(jobs)
    if isinstance(schedules, Schedule):
        _check_field_use(graph, pairs, schedules)
        return {node: schedules for node, _ in pairs}
    named: dict[int | str, Schedule] = dict(schedules.items())
    for name in named:
        if name != WILDCARD:
            task_named(graph, (node for node, _ in pairs), name)
    by_node = {}
    for node, job in pairs:
        names = task_names(graph, node)
        schedule = next((named[key] for key in (node, *names) if key in named), None)
        if schedule is not None and not job.inside:
            schedule.check_unit(" ".join(names[:2]), bool(job.work.macs))
        by_node[node] = schedule or named.get(WILDCARD, DEFAULT)
    return by_node


def _check_field_use(graph: GraphReader, jobs: Iterable[tuple[int, Job]], schedule: Schedule) -> None:
    """Raise ``UsageError`` for a field of products where no task is one, or of vector work where all are."""
    first_by_unit = {bool(job.work.macs): node for node, job in reversed([*jobs]) if not job.inside}
    if len(first_by_unit) == 1:
        ((has_products, node),) = first_by_unit.items()
        schedule.check_unit(" ".join(task_names(graph, node)[:2]), has_products)


def schedules_by_operator(graph: GraphReader, jobs: Iterable[tuple[int, Job]], schedules: Schedules) -> Schedules:
    """The schedules whose names another graph of the same function has, where nodes have other ids."""
    if isinstance(schedules, Schedule):
        return schedules
    names = {name for node, _ in jobs for name in task_names(graph, node)[1:]} | {WILDCARD}
    return {name: schedule for name, schedule in schedules.items() if name in names}


def validate_schedules(schedules: object) -> Schedules:
    """The argument ``schedule`` of ``simulate``: a file is read; raises ``UsageError`` for what is no schedule.

    >>> validate_schedules({"matmul": Schedule(buffers=2)})
    {'matmul': Schedule(buffers=2)}
    """
    if isinstance(schedules, Schedule):
        return schedules
    if isinstance(schedules, str | Path):
        return load_schedules(schedules)
    if not isinstance(schedules, Mapping):
        advice = "pass a Schedule, a mapping from tasks to Schedules, or a TOML file"
        raise UsageError(f"schedule: got {short_repr(schedules)}; {advice}")
    wrong = next(((name, value) for name, value in schedules.items() if not isinstance(value, Schedule)), None)
    if wrong is not None:
        raise UsageError(f"schedule: the value of {wrong[0]!r:.80} is {short_repr(wrong[1])}; pass a Schedule(...)")
    return schedules


# ---- files -----------------------------------------------------------------------------------------


def load_schedules(path: Path | str) -> dict[int | str, Schedule]:
    """The schedules of a TOML file by task; raises ``UsageError`` with file and key for an invalid file."""
    try:
        return parse_schedules(Path(path).name, Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        reraise_handler_error(error)
        raise UsageError(f"{path}: cannot read the schedule, {error.strerror}; name a TOML file") from None


def parse_schedules(where: str, text: str) -> dict[int | str, Schedule]:
    """The schedules of a TOML text; ``where`` names it in errors."""
    try:
        tables = tomllib.loads(text)
    except ValueError as error:
        raise UsageError(f"{where}: not TOML: {error}; compare docs/howto/kernel.md") from None
    return {name: _schedule_of_table(where, name, table) for name, table in tables.items()}


def _schedule_of_table(where: str, name: str, table: object) -> Schedule:
    if not isinstance(table, dict):
        raise UsageError(f"{where}: '{name}' is {short_repr(table)}; write a table of a task, such as [matmul]")
    for old in RENAMED_FIELDS.keys() & table.keys():
        warn_renamed(f"{where}: [{name}]: the field '{old}'", f"'{RENAMED_FIELDS[old]}'")
    table = {RENAMED_FIELDS.get(str(key), str(key)): value for key, value in table.items()}
    unknown = next((key for key in table if key not in SCHEDULE_FIELDS), None)
    if unknown is not None:
        raise UsageError(f"{where}: [{name}] has no field '{unknown:.80}'{did_you_mean(unknown, SCHEDULE_FIELDS)}")
    vector = {"vector": _schedule_of_table(where, f"{name}.vector", table["vector"])} if "vector" in table else {}
    try:
        return Schedule(**(table | vector))
    except UsageError as error:
        raise UsageError(f"{where}: [{name}]: {error}") from None


def schedules_text(schedules: Mapping[str, Schedule]) -> str:
    """A TOML text that ``parse_schedules`` reads.

    >>> print(schedules_text({"%2": Schedule(grid=(6, 4), vector=Schedule(tile=4096))}))
    ["%2"]
    grid = [6, 4]
    ["%2".vector]
    tile = 4096
    <BLANKLINE>
    """
    lines = (_table_lines(f'"{name}"', schedule) for name, schedule in schedules.items())
    return "".join(f"{line}\n" for line in chain.from_iterable(lines))


def _table_lines(name: str, schedule: Schedule) -> Iterator[str]:
    yield f"[{name}]"
    for key, value in schedule.non_default_fields.items():
        if isinstance(value, bool):
            yield f"{key} = {str(value).lower()}"
        elif not isinstance(value, Schedule):
            yield f"{key} = {[*value] if isinstance(value, tuple) else repr(value)}"
    if schedule.vector:
        yield from _table_lines(f"{name}.vector", schedule.vector)


# ---- the schedule of a plan ------------------------------------------------------------------------


def schedule_of(job: Job, chip: Chip, requested: Schedule = DEFAULT) -> Schedule:
    """The schedule that fixes all tiles, cores and buffers that the search chose for a job under a ``requested`` one.

    It always reproduces the same plan: what no schedule can express (several products with tiles of their own) stays
    as requested. Fields that are for work of the other unit are left out.
    """
    requested = requested.without_fields_of(not job.work.macs)
    layout = layout_of(job, chip, requested)
    candidates = _candidate_schedules(job, layout, chip, requested)
    return next((schedule for schedule in candidates if _reproduces_layout(job, chip, schedule, layout)), requested)


def _reproduces_layout(job: Job, chip: Chip, schedule: Schedule, layout: Layout) -> bool:
    """Whether a schedule gives the plans of a layout; its notes may differ: they name what another schedule states."""
    try:
        return replace(layout_of(job, chip, schedule), notes=layout.notes) == layout
    except UsageError:
        return False


def _candidate_schedules(job: Job, layout: Layout, chip: Chip, requested: Schedule) -> Iterator[Schedule]:
    """Schedules that may reproduce a plan, the most complete one first."""
    if len(layout.cube) == 1:
        own = requested.vector or DEFAULT
        vectors = [own] if layout.vector is None else [*_vector_candidates(job, layout.vector, own), own]
        for value in vectors:
            for schedule in _cube_candidates(layout, chip, requested):
                yield replace(schedule, vector=None if value == DEFAULT else value)
    elif layout.vector is not None and not layout.cube:
        yield from _vector_candidates(job, layout.vector, requested)


def _cube_candidates(layout: Layout, chip: Chip, requested: Schedule) -> Iterator[Schedule]:
    plan: CubePlan = layout.cube[0]
    own_slot = plan.l0c_slots * plan.bm * plan.bn * 4 <= chip.buf.l0c
    queue = "V" if layout.before else "MTE2" if plan.penalty_a or plan.penalty_b else ""
    full = replace(
        requested, base=(plan.bm, plan.bn, plan.bk), step_k=plan.step_k, grid=plan.grid, split_k=plan.split_k,
        buffers=plan.buffers, keep_in_l1=bool(plan.resident), unit_flag=requested.unit_flag or not own_slot,
        nd2nz=queue, l0c_buffers=plan.l0c_slots if own_slot else None, order=LOOP_ORDERS.get(plan.resident, plan.order),
    )  # fmt: skip
    for candidate in (full, replace(full, order=requested.order)):
        yield candidate
        yield replace(candidate, tile_counts=plan.tile_counts)


def _vector_candidates(job: Job, plan: VectorPlan, requested: Schedule) -> Iterator[Schedule]:
    count, length = job.work.rows or (job.elements, 1)
    whole_rows = ceil(count / plan.tiles) * length
    elements = ceil(ceil(count * length / plan.cores) / max(1, plan.tiles // plan.cores))
    full = replace(requested, cores=plan.cores, buffers=plan.buffers)
    for tile in (whole_rows, elements):
        yield replace(full, tile=tile)
    yield full
