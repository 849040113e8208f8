"""From plans to instructions: the streams a kernel of the vendor's library would issue on one core."""

from __future__ import annotations

from itertools import groupby
from math import ceil

from minigraph.npu.chips.chip import Chip
from minigraph.npu.engine.program import Instr, Items, Program, Repeat
from minigraph.npu.tiling import analytic, costs, cube_analytic
from minigraph.npu.tiling.cube_candidates import ACCUMULATOR
from minigraph.npu.tiling.plan import CubePlan, ScalarPlan, Turn, VectorPlan

VECTOR_NAMES = {
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


# ---- vector ----------------------------------------------------------------------------------------


def vector_program(plan: VectorPlan, chip: Chip) -> Program:
    """Load, compute, store per tile; extra sweeps load and compute only."""
    items: Items = ()
    for sweep in range(plan.sweeps):
        miss = plan.miss_again if sweep else plan.miss
        last = sweep == plan.sweeps - 1
        items += tuple(Repeat(vector_tile(plan, chip, t.cores, miss, last), t.tiles) for t in plan.turns)
    if plan.meetings:
        items += (Instr("S", "SYNC_ALL", plan.meetings * chip.sync.xcore, barrier=True),)
    rings = {"in": plan.buffers, "out": plan.buffers}
    share = plan.tiles / (plan.cores * plan.per_core)
    sizes = {"in": {"UB": plan.streams * plan.load_bytes}, "out": {"UB": plan.store_bytes if plan.ops else 0}}
    return Program("aiv", rings, items, plan.cores, share, sizes)


def vector_tile(plan: VectorPlan, chip: Chip, cores: int, miss: float, store: bool) -> Items:
    """The instructions of one tile while ``cores`` cores work."""
    way, count = analytic.load_path(plan, chip, miss), plan.streams * plan.pieces
    each = ceil(plan.load_bytes / plan.pieces)
    loads = _in_a_row("MTE2", "MOV_OUT_TO_UB", count, each, way, cores, "in")
    stores = store and bool(plan.store_bytes)
    work = _vector_work(plan, chip, stores)
    if not stores:
        return loads + (work or (Instr("V", "DROP", 0, deque="in", free="in"),))
    source = "out" if work else "in" if loads else ""
    path = costs.store_path(chip, plan.absorbed, plan.reads)
    return (*loads, *work, _transfer("MTE3", "MOV_UB_TO_OUT", plan.store_bytes, path, cores, deque=source,
                                     free=source))  # fmt: skip


def _in_a_row(queue: str, name: str, count: int, moved: int, way: costs.Path, cores: int, ring: str) -> Items:
    """``count`` equal loads that fill one slot of a ring: the first takes it, the last hands it over."""
    if count <= 1:
        return (_transfer(queue, name, moved, way, cores, alloc=ring, enque=ring),) * count
    first = _transfer(queue, name, moved, way, cores, alloc=ring)
    middle, last = _transfer(queue, name, moved, way, cores), _transfer(queue, name, moved, way, cores, enque=ring)
    between: Items = (middle,) * (count - 2) if count <= 8 else (Repeat((middle,), count - 2),)
    return (first, *between, last)


def _vector_work(plan: VectorPlan, chip: Chip, stores: bool) -> Items:
    first, last = 0, len(plan.ops) - 1
    fills, drains = "in" if plan.streams else "", "out" if stores else ""
    return tuple(
        Instr("V", VECTOR_NAMES[op.kind], costs.vector_op(chip, op, plan.width, plan.conflict),
              deque=fills if i == first else "", alloc=drains if i == first else "",
              free=fills if i == last else "", enque=drains if i == last else "")
        for i, op in enumerate(plan.ops)
    )  # fmt: skip


# ---- cube ------------------------------------------------------------------------------------------


def cube_program(plan: CubePlan, chip: Chip) -> Program:
    """Tiles of a product: loads to L1 in chunks, blocks through the cube, one store per tile."""
    items: Items = ()
    if plan.split_k > 1:  # partial sums are added in device memory, which has to be zero first
        items = (Instr("S", "SYNC_ALL", chip.sync.xcore),)
    for turn in plan.turns:
        items += _runs(plan, chip, turn)
    rings = {"l1": plan.buffers, "l0": 2, "l0c": plan.l0c_slots, "ub": 1}
    share = plan.tiles / (plan.cores * plan.per_core)
    return Program("aic", rings, items, plan.cores, share, *_cube_room(plan, chip))


def _cube_room(plan: CubePlan, chip: Chip) -> tuple[dict[str, dict[str, int]], dict[str, int]]:
    """Bytes of a slot of each ring, and of what stays: an operand that several tiles share.

    With stores that start before a tile is done, two tiles share L0C where only one would fit.
    """
    a, b = cube_analytic.operand_bytes(plan, 1)
    kept = {"a": a, "b": b}.get(plan.resident, 0)
    item, tile = plan.dtype.itemsize, plan.bm * plan.bn
    sizes = {
        "l1": {"L1": max(plan.chunks) * (a + b - kept)},
        "l0": {"L0A": plan.bm * plan.bk * item, "L0B": plan.bk * plan.bn * item},
        "l0c": {"L0C": min(ACCUMULATOR * tile, chip.buf.l0c // plan.l0c_slots)},
        "ub": {"UB": plan.m * plan.n * plan.store_item if chip.family == "coupled" and plan.stores else 0},
    }
    return sizes, {"L1": plan.blocks * kept}


def _runs(plan: CubePlan, chip: Chip, turn: Turn) -> Items:
    """A stretch of tiles; with a resident operand in runs, of which only the first tile loads it."""
    opening = cube_tile(plan, chip, turn.cores, "ab")
    if not plan.resident:
        return (Repeat(opening, turn.tiles),)
    later = cube_tile(plan, chip, turn.cores, plan.other)
    whole, rest = divmod(turn.tiles, plan.run)
    runs: Items = (Repeat((*opening, Repeat(later, plan.run - 1)), whole),) if whole else ()
    last: Items = (*opening, Repeat(later, rest - 1)) if rest else ()
    return (Repeat((*runs, *last), 1),)


def cube_tile(plan: CubePlan, chip: Chip, cores: int, operands: str) -> Items:
    """The instructions of one tile while ``cores`` cores work and ``operands`` have to be loaded."""
    first, *others = plan.chunks
    chunks: Items = _chunk(plan, chip, cores, operands, first, opens=True, closes=not others)
    for blocks, run in groupby(others[:-1]):
        body = _chunk(plan, chip, cores, operands, blocks, opens=False, closes=False)
        chunks += (Repeat(body, len(list(run))),)
    if others:
        chunks += _chunk(plan, chip, cores, operands, others[-1], opens=False, closes=True)
    return (*chunks, *_tile_out(plan, chip, cores))


def _tile_out(plan: CubePlan, chip: Chip, cores: int) -> Items:
    """The store of one tile: FIXP on split chips; on coupled ones the vector unit brings it to UB, MTE3 further."""
    moved = plan.m * plan.n * plan.store_item
    if chip.family == "split":
        path = costs.fixp_path(chip, plan.store_item, plan.absorbed, plan.reads)
        return (_transfer("FIXP", "FIX_L0C_TO_OUT", moved, path, cores, deque="l0c", free="l0c"),)
    ring = "ub" if plan.stores else ""
    out = Instr("V", "MOV_L0C_TO_UB", costs.l0c_to_ub(chip, plan.bm * plan.bn), deque="l0c", free="l0c", alloc=ring,
                enque=ring)  # fmt: skip
    if not plan.stores:
        return (out,)
    path = costs.store_path(chip, plan.absorbed, plan.reads)
    return (out, _transfer("MTE3", "MOV_UB_TO_OUT", moved, path, cores, deque="ub", free="ub"))


def _chunk(
    plan: CubePlan, chip: Chip, cores: int, operands: str, blocks: int, opens: bool, closes: bool
) -> Items:  # fmt: skip
    """The loads of some blocks, and the blocks; ``opens`` and ``closes`` the tile's L0C slot."""
    found = cube_analytic.loads_of(plan, chip, blocks, operands)
    loads = tuple(
        _transfer("MTE2", "MOV_OUT_TO_L1", load.moved, load.way, cores, alloc="l1" if i == 0 else "",
                  enque="l1" if i == len(found) - 1 else "")
        for i, load in enumerate(found)
    )  # fmt: skip
    work: Items = ()
    for i in range(blocks):
        work += _block(plan, chip, i == 0, i == blocks - 1, opens and i == 0, closes and i == blocks - 1)
    return loads + work


def _block(plan: CubePlan, chip: Chip, first: bool, last: bool, opens: bool, closes: bool) -> Items:
    a, b = plan.bm * plan.bk * plan.dtype.itemsize, plan.bk * plan.bn * plan.dtype.itemsize
    name = "LOAD_3D" if plan.window > 1 else "LOAD_2D"
    into_l0a = costs.mte1_a(chip, a, plan.window, plan.stride, plan.spans)
    return (
        Instr("MTE1", name, into_l0a, a, deque="l1" if first else "", alloc="l0"),
        Instr("MTE1", "LOAD_2D", costs.mte1_b(chip, b), b, free="l1" if last else "", enque="l0"),
        Instr("M", "MMAD", costs.mmad(chip, plan.dtype, plan.bm, plan.bk, plan.bn), deque="l0", free="l0",
              alloc="l0c" if opens else "", enque="l0c" if closes else "", rest=chip.cube.turn),
    )  # fmt: skip


def _transfer(
    queue: str, name: str, moved: int, way: costs.Path, cores: int,
    alloc: str = "", enque: str = "", deque: str = "", free: str = "",
) -> Instr:  # fmt: skip
    return Instr(queue, name, way.latency, moved, way.rate, cores * way.gm * moved, cores * way.l2 * moved,
                 way.device * moved, alloc, enque, deque, free, alone=way.alone)  # fmt: skip
