"""The lowering of plans to instruction streams, as a kernel of the vendor's library issues them on one core.

Problem: the event engine needs the instructions of the busiest core, in program order, with the rings that join its
queues. Method: a software pipeline of load, compute and store per tile (double buffering by rings); equal tiles are a
``Loop``, so that the program is as short as the plan. Invariant: each transfer is multiplied by the cores that are
active in its phase. Not handled: programs of the other cores, and scalar instructions other than barriers and loops.
"""

from __future__ import annotations

from itertools import groupby
from math import ceil

from minigraph.npu.chips.chip import Chip
from minigraph.npu.engine.program import Instr, Items, Loop, Program
from minigraph.npu.tiling import analytic, costs, cube_parts
from minigraph.npu.tiling.cube_blocks import ACCUMULATOR_BYTES
from minigraph.npu.tiling.plan import CubePlan, Phase, ScalarPlan, VectorPlan

VECTOR_MNEMONICS = {
    "simple": "VADD", "special": "VEXP", "cast": "VCONV", "reduce": "VCADD", "transpose": "VTRANSPOSE",
    "gather": "VGATHER",
}  # fmt: skip


def program_of(plan: CubePlan | VectorPlan | ScalarPlan, chip: Chip) -> Program:
    """The program of the busiest core."""
    if isinstance(plan, CubePlan):
        return cube_program(plan, chip)
    if isinstance(plan, VectorPlan):
        return vector_program(plan, chip)
    return Program("aiv", {}, (Instr("S", "LOOP", analytic.scalar_cycles(plan, chip)),), 1, 1.0)


def _section(phases: Items) -> Items:
    """One section of the phases of a pass: cores that are done leave their bandwidth to the others at once."""
    return (Loop(phases, 1),) if len(phases) > 1 else phases


# ---- vector ----------------------------------------------------------------------------------------


def vector_program(plan: VectorPlan, chip: Chip) -> Program:
    """Load, compute and store per tile; all passes but the last only load and compute."""
    items: Items = ()
    for number in range(plan.passes):
        miss = plan.later_miss if number else plan.miss
        last = number == plan.passes - 1
        items += _section(tuple(Loop(vector_tile(plan, chip, t.cores, miss, last), t.tiles) for t in plan.phases))
    if plan.syncs:
        items += (Instr("S", "SYNC_ALL", plan.syncs * chip.sync.xcore, barrier=True),)
    rings = {"in": plan.buffers, "out": plan.buffers}
    balance = plan.tiles / (plan.cores * plan.per_core)
    slot_bytes = {"in": {"UB": plan.streams * plan.load_bytes}, "out": {"UB": plan.store_bytes if plan.ops else 0}}
    return Program("aiv", rings, items, plan.cores, balance, slot_bytes)


def vector_tile(plan: VectorPlan, chip: Chip, cores: int, miss: float, store: bool) -> Items:
    """The instructions of one tile while ``cores`` cores are active."""
    path, count = analytic.load_path(plan, chip, miss), plan.streams * plan.loads_per_stream
    nbytes = ceil(plan.load_bytes / plan.loads_per_stream)
    ring = "in" if plan.ops or plan.store_bytes else ""  # loads that nothing reads wait for no slot
    loads = _load_sequence("MTE2", "MOV_OUT_TO_UB", count, nbytes, path, cores, ring)
    stores = store and bool(plan.store_bytes)
    work = _vector_work(plan, chip, stores)
    if not stores:
        drop = (Instr("V", "DROP", 0, deque="in", free="in"),) if ring else ()
        return loads + (work or drop)
    source = "out" if work else "in" if loads else ""
    freed = "in" if plan.alternate and loads else source
    path = costs.store_path(chip, plan.absorbed, plan.read_ratio)
    return (*loads, *work, _transfer("MTE3", "MOV_UB_TO_OUT", plan.store_bytes, path, cores, deque=source,
                                     free=freed))  # fmt: skip


def _load_sequence(
    queue: str, name: str, count: int, bytes_moved: int, path: costs.Path, cores: int, ring: str
) -> Items:
    """``count`` equal loads that fill one slot of a ring: the first allocates it, the last enqueues it."""
    if count <= 1:
        return (_transfer(queue, name, bytes_moved, path, cores, alloc=ring, enque=ring),) * count
    first = _transfer(queue, name, bytes_moved, path, cores, alloc=ring)
    middle = _transfer(queue, name, bytes_moved, path, cores)
    last = _transfer(queue, name, bytes_moved, path, cores, enque=ring)
    between: Items = (middle,) * (count - 2) if count <= 8 else (Loop((middle,), count - 2),)
    return (first, *between, last)


def _vector_work(plan: VectorPlan, chip: Chip, stores: bool) -> Items:
    first, last = 0, len(plan.ops) - 1
    source, target = "in" if plan.streams else "", "out" if stores else ""
    is_kept = stores and plan.alternate and bool(source)  # the slot of the loads, with the result, until it is stored
    return tuple(
        Instr("V", VECTOR_MNEMONICS[op.kind], costs.vector_op(chip, op, plan.width, plan.conflict),
              deque=source if i == first else "", alloc=target if i == first and not is_kept else "",
              free=source if i == last and not is_kept else "", enque=target if i == last else "")
        for i, op in enumerate(plan.ops)
    )  # fmt: skip


# ---- cube ------------------------------------------------------------------------------------------


def cube_program(plan: CubePlan, chip: Chip) -> Program:
    """The tiles of a product: loads into L1 in chunks, k blocks through MTE1 and the cube, one store per tile."""
    items: Items = ()
    if plan.split_k > 1:  # partial sums are accumulated in device memory, which is zeroed first
        items = (Instr("S", "SYNC_ALL", chip.sync.xcore),)
    tiles: Items = ()
    tiles_done = 0
    for phase in plan.phases:
        tiles += _phase_items(plan, chip, phase, tiles_done)
        tiles_done += phase.tiles
    items += _section(tiles)
    rings = {"l1": plan.buffers, "l0": plan.l0_slots, "l0c": plan.l0c_slots, "ub": 1}
    balance = plan.tiles / (plan.cores * plan.per_core)
    return Program("aic", rings, items, plan.cores, balance, *_cube_buffers(plan, chip))


def _cube_buffers(plan: CubePlan, chip: Chip) -> tuple[dict[str, dict[str, int]], dict[str, int]]:
    """Bytes per slot of each ring, and bytes of a resident operand.

    With unit_flag, two tiles overlap in L0C even if only one fits.
    """
    a, b = cube_parts.operand_bytes(plan, 1)
    resident = {"a": a, "b": b}.get(plan.resident, 0)
    item, tile = plan.dtype.itemsize, plan.bm * plan.bn
    slot_bytes = {
        "l1": {"L1": max(plan.chunks) * (a + b - resident)},
        "l0": {"L0A": plan.bm * plan.bk * item, "L0B": plan.bk * plan.bn * item},
        "l0c": {"L0C": min(ACCUMULATOR_BYTES * tile, chip.buf.l0c // plan.l0c_slots)},
        "ub": {"UB": plan.m * plan.n * plan.store_item if chip.family == "coupled" and plan.stores else 0},
    }
    return slot_bytes, {"L1": plan.blocks * resident}


def _phase_items(plan: CubePlan, chip: Chip, phase: Phase, done: int) -> Items:
    """The tiles of one phase, ``done`` tiles before it; of every ``reuse`` tiles the first loads a resident operand."""
    first_tile = cube_tile(plan, chip, phase.cores, "ab")
    if not plan.resident:
        return (Loop(first_tile, phase.tiles),)
    later_tile = cube_tile(plan, chip, phase.cores, plan.streamed_operands)
    begun = min(-done % plan.reuse, phase.tiles)
    groups, remainder = divmod(phase.tiles - begun, plan.reuse)
    stay: Items = (Loop(later_tile, begun),) if begun else ()
    runs: Items = (Loop((*first_tile, Loop(later_tile, plan.reuse - 1)), groups),) if groups else ()
    last: Items = (*first_tile, Loop(later_tile, remainder - 1)) if remainder else ()
    return (*stay, *runs, *last)


def cube_tile(plan: CubePlan, chip: Chip, cores: int, operands: str) -> Items:
    """The instructions of one tile that loads ``operands``, while ``cores`` cores are active."""
    first, *others = plan.chunks
    chunks: Items = _chunk_items(plan, chip, cores, operands, first, allocates=True, completes=not others)
    for blocks, equal in groupby(others[:-1]):
        body = _chunk_items(plan, chip, cores, operands, blocks, allocates=False, completes=False)
        chunks += (Loop(body, len(list(equal))),)
    if others:
        chunks += _chunk_items(plan, chip, cores, operands, others[-1], allocates=False, completes=True)
    return (*chunks, *_tile_store(plan, chip, cores))


def _tile_store(plan: CubePlan, chip: Chip, cores: int) -> Items:
    """The store of one tile: FixPipe on split chips; the vector unit, UB and MTE3 on coupled ones."""
    store = cube_parts.tile_store(plan, chip)
    if chip.family == "split" and store.path:
        return (_transfer("FIXP", "FIX_L0C_TO_OUT", store.bytes_moved, store.path, cores, deque="l0c", free="l0c"),)
    ring = "ub" if store.path else ""
    out = Instr("V", "MOV_L0C_TO_UB", store.emptied, deque="l0c", free="l0c", alloc=ring, enque=ring)
    if not store.path:
        return (out,)
    return (out, _transfer("MTE3", "MOV_UB_TO_OUT", store.bytes_moved, store.path, cores, deque="ub", free="ub"))


def _chunk_items(
    plan: CubePlan, chip: Chip, cores: int, operands: str, blocks: int, allocates: bool, completes: bool
) -> Items:  # fmt: skip
    """The loads of one chunk and its k blocks; the tile's first block ``allocates`` L0C, the last ``completes`` it."""
    operand_loads = cube_parts.loads_of(plan, chip, blocks, operands)
    loads = tuple(
        _transfer("MTE2", "MOV_OUT_TO_L1", load.bytes_moved, load.path, cores, alloc="l1" if i == 0 else "",
                  enque="l1" if i == len(operand_loads) - 1 else "")
        for i, load in enumerate(operand_loads)
    )  # fmt: skip
    work: Items = ()
    for i in range(blocks):
        work += _block(plan, chip, i == 0, i == blocks - 1, allocates and i == 0, completes and i == blocks - 1)
    return loads + work


def _block(plan: CubePlan, chip: Chip, first: bool, last: bool, allocates: bool, completes: bool) -> Items:
    a, b = plan.bm * plan.bk * plan.dtype.itemsize, plan.bk * plan.bn * plan.dtype.itemsize
    name = "LOAD_3D" if plan.window > 1 else "LOAD_2D"
    into_l0a, into_l0b = cube_parts.mte1_cycles(plan, chip)
    return (
        Instr("MTE1", name, into_l0a, a, deque="l1" if first else "", alloc="l0"),
        Instr("MTE1", "LOAD_2D", into_l0b, b, free="l1" if last else "", enque="l0"),
        Instr("M", "MMAD", costs.mmad(chip, plan.dtype, plan.bm, plan.bk, plan.bn), deque="l0", free="l0",
              alloc="l0c" if allocates else "", enque="l0c" if completes else "", turnaround=chip.cube.turn),
    )  # fmt: skip


def _transfer(
    queue: str, name: str, bytes_moved: int, path: costs.Path, cores: int,
    alloc: str = "", enque: str = "", deque: str = "", free: str = "",
) -> Instr:  # fmt: skip
    return Instr(queue, name, path.latency, bytes_moved, path.rate, cores * path.gm_cycles(bytes_moved),
                 cores * path.l2 * bytes_moved, path.device * bytes_moved, alloc, enque, deque, free,
                 serialized=path.serialized)  # fmt: skip
