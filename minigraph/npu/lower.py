"""From plans to instructions: the streams a kernel of the vendor's library would issue on one core."""

from __future__ import annotations

from itertools import groupby

from minigraph.npu import analytic, costs
from minigraph.npu.chip import Chip
from minigraph.npu.plan import CubePlan, ScalarPlan, VectorPlan
from minigraph.npu.program import Instr, Items, Program, Repeat

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
    return Program(
        "aiv", {"in": plan.buffers, "out": plan.buffers}, items, plan.cores, plan.tiles / (plan.cores * plan.per_core)
    )


def vector_tile(plan: VectorPlan, chip: Chip, cores: int, miss: float, store: bool) -> Items:
    """The instructions of one tile while ``cores`` cores work."""
    way = costs.load_path(chip, miss, "ub")
    loads = tuple(
        _transfer("MTE2", "MOV_OUT_TO_UB", plan.load_bytes, way, cores,
                  alloc="in" if i == 0 else "", enque="in" if i == plan.streams - 1 else "")
        for i in range(plan.streams)
    )  # fmt: skip
    stores = store and bool(plan.store_bytes)
    work = _vector_work(plan, chip, stores)
    if not stores:
        return loads + (work or (Instr("V", "DROP", 0, deque="in", free="in"),))
    source = "out" if work else "in" if loads else ""
    path = costs.store_path(chip, plan.absorbed)
    return (*loads, *work, _transfer("MTE3", "MOV_UB_TO_OUT", plan.store_bytes, path, cores, deque=source,
                                     free=source))  # fmt: skip


def _vector_work(plan: VectorPlan, chip: Chip, stores: bool) -> Items:
    first, last = 0, len(plan.ops) - 1
    fills, drains = "in" if plan.streams else "", "out" if stores else ""
    return tuple(
        Instr("V", VECTOR_NAMES[kind], costs.vector_op(chip, kind, n, plan.width, plan.conflict),
              deque=fills if i == first else "", alloc=drains if i == first else "",
              free=fills if i == last else "", enque=drains if i == last else "")
        for i, (kind, n) in enumerate(plan.ops)
    )  # fmt: skip


# ---- cube ------------------------------------------------------------------------------------------


def cube_program(plan: CubePlan, chip: Chip) -> Program:
    """Tiles of a product: loads to L1 in chunks, blocks through the cube, one store per tile."""
    items: Items = ()
    if plan.split_k > 1:  # partial sums are added in device memory, which has to be zero first
        items = (Instr("S", "SYNC_ALL", chip.sync.xcore),)
    items += tuple(Repeat(cube_tile(plan, chip, turn.cores), turn.tiles) for turn in plan.turns)
    rings = {"l1": plan.buffers, "l0": 2, "l0c": plan.l0c_slots, "ub": 1}
    return Program("aic", rings, items, plan.cores, plan.tiles / (plan.cores * plan.per_core))


def cube_tile(plan: CubePlan, chip: Chip, cores: int) -> Items:
    """The instructions of one tile while ``cores`` cores work."""
    first, *others = plan.chunks
    chunks: Items = _chunk(plan, chip, cores, first, opens=True, closes=not others)
    for blocks, run in groupby(others[:-1]):
        chunks += (Repeat(_chunk(plan, chip, cores, blocks, opens=False, closes=False), len(list(run))),)
    if others:
        chunks += _chunk(plan, chip, cores, others[-1], opens=False, closes=True)
    return (*chunks, *_tile_out(plan, chip, cores))


def _tile_out(plan: CubePlan, chip: Chip, cores: int) -> Items:
    """The store of one tile: FIXP on split chips; on coupled ones the vector unit brings it to UB, MTE3 further."""
    moved = plan.bm * plan.bn * plan.store_item
    if chip.family == "split":
        path = costs.fixp_path(chip, plan.store_item, plan.absorbed)
        return (_transfer("FIXP", "FIX_L0C_TO_OUT", moved, path, cores, deque="l0c", free="l0c"),)
    ring = "ub" if plan.stores else ""
    out = Instr("V", "MOV_L0C_TO_UB", costs.l0c_to_ub(chip, plan.bm * plan.bn), deque="l0c", free="l0c", alloc=ring,
                enque=ring)  # fmt: skip
    if not plan.stores:
        return (out,)
    path = costs.store_path(chip, plan.absorbed)
    return (out, _transfer("MTE3", "MOV_UB_TO_OUT", moved, path, cores, deque="ub", free="ub"))


def _chunk(plan: CubePlan, chip: Chip, cores: int, blocks: int, opens: bool, closes: bool) -> Items:
    """One load of both operands and the blocks it feeds; ``opens`` and ``closes`` the tile's L0C slot."""
    (a, b), (way_a, way_b) = analytic.operand_bytes(plan, blocks), analytic.load_paths(plan, chip)
    loads = (
        _transfer("MTE2", "MOV_OUT_TO_L1", a, way_a, cores, alloc="l1"),
        _transfer("MTE2", "MOV_OUT_TO_L1", b, way_b, cores, enque="l1"),
    )
    work: Items = ()
    for i in range(blocks):
        work += _block(plan, chip, i == 0, i == blocks - 1, opens and i == 0, closes and i == blocks - 1)
    return loads + work


def _block(plan: CubePlan, chip: Chip, first: bool, last: bool, opens: bool, closes: bool) -> Items:
    a, b = plan.bm * plan.bk * plan.dtype.itemsize, plan.bk * plan.bn * plan.dtype.itemsize
    name = "LOAD_3D" if plan.window > 1 else "LOAD_2D"
    return (
        Instr("MTE1", name, costs.mte1_a(chip, a, plan.window, plan.spans), a, deque="l1" if first else "", alloc="l0"),
        Instr("MTE1", "LOAD_2D", costs.mte1_b(chip, b), b, free="l1" if last else "", enque="l0"),
        Instr("M", "MMAD", costs.mmad(chip, plan.dtype, plan.bm, plan.bk, plan.bn), deque="l0", free="l0",
              alloc="l0c" if opens else "", enque="l0c" if closes else ""),
    )  # fmt: skip


def _transfer(
    queue: str, name: str, moved: int, way: costs.Path, cores: int,
    alloc: str = "", enque: str = "", deque: str = "", free: str = "",
) -> Instr:  # fmt: skip
    return Instr(queue, name, way.latency, moved, way.rate, cores * way.gm * moved, cores * way.l2 * moved,
                 way.device * moved, alloc, enque, deque, free)  # fmt: skip
