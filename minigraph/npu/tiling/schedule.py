"""The schedule of a kernel: what the caller fixes of its mapping onto cores, tiles, buffers and queues."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from minigraph.core.deprecated_names import DeprecatedAttribute, renamed_arguments
from minigraph.core.errors import UsageError

MAX_BUFFERS = 8  # slots of one TQue (vendor's manual)
COUNT_FIELDS = ("tile", "buffers", "step_k", "split_k", "l0_buffers", "l0c_buffers")
TUPLE_LENGTHS = {"base": 3, "tile_counts": 2, "grid": 2}
FIELD_CHOICES = {
    "order": ("", "m", "n"), "nd2nz": ("", "MTE2", "V"), "epilogue": ("", "FIXP", "V"), "compute": ("", "V", "S"),
    "nz_operands": ("", "a", "b", "ab"),
}  # fmt: skip
CUBE_FIELDS = ("base", "tile_counts", "step_k", "grid", "split_k", "order", "l0_buffers", "l0c_buffers", "unit_flag",
               "nz_operands", "nd2nz", "epilogue", "keep_in_l1", "vector")  # fmt: skip
VECTOR_FIELDS = ("cores", "tile", "compute", "alternate")
RENAMED_FIELDS = {
    "together": "shared_loads", "ready": "nz_operands", "keep": "keep_in_l1", "conflict": "bank_conflicts",
    "bypass": "bypass_l2", "after": "vector",
}  # fmt: skip  # old -> new; old names warn, and are removed in the next release


@dataclass(frozen=True)
class Schedule:
    """Tiling parameters fixed by the caller; the tiling search chooses the others.

    In brackets, the name in the vendor's manual (``TCubeTiling``, ``TQue``).

    Vector work: ``cores`` (blockDim), ``tile`` in elements (TILE_LENGTH), ``compute`` (queue of the arithmetic: "V", or
    "S" for a loop on one scalar unit), ``alternate`` (loads wait for the store of the tile that last had their slot,
    MTE3_MTE2, instead of its arithmetic, V_MTE2: with one slot, loads and stores alternate).
    Cube work: ``base`` (m, n, k of a base block: baseM, baseN, baseK), ``tile_counts`` (tiles along m and n, in
    each of which the cube computes a whole base block; by default as few as the blocks need, each no larger than
    its tile), ``step_k`` (base blocks per load, along k: stepKa, stepKb), ``grid`` (cores along m and n),
    ``split_k`` (cores that share one k), ``order`` (iterateOrder: the tiles of a core advance along "m" or "n"
    first, so that the tile of b or a stays in L1), ``keep_in_l1`` (an operand may stay in L1 for several tiles),
    ``l0_buffers`` (slots of L0A and L0B: dbL0A, dbL0B), ``l0c_buffers`` (of L0C: dbL0C), ``unit_flag`` (FixPipe
    stores a tile while the cube still computes it: two tiles overlap in L0C even if one fits; no time changes where
    two fit), ``nz_operands`` (already in NZ format: "a", "b", "ab"), ``nd2nz`` (queue that converts unaligned
    operands to NZ: "MTE2" while it loads, or "V" before), ``epilogue`` (queue of what follows the product: "FIXP"
    or "V").
    Both: ``buffers`` (slots in L1 or UB, BUFFER_NUM: 1 single, 2 double, up to 8; ``None``: 2, or 1 in L1 if a better
    tile then fits). Memory: ``bank_conflicts`` (of UB), ``bypass_l2`` (loads bypass L2, which then absorbs as much
    of the stores as it holds), ``shared_loads`` (all cores load the same addresses in the same order). ``vector``: the
    schedule of the vector work that follows a product.

    Raises ``UsageError`` for values that no kernel has.

    >>> Schedule(base=(128, 256, 64), buffers=2)
    Schedule(buffers=2, base=(128, 256, 64))
    """

    cores: int | None = None
    tile: int | None = None
    buffers: int | None = None
    base: tuple[int, int, int] | None = None
    tile_counts: tuple[int, int] | None = None
    step_k: int | None = None
    grid: tuple[int, int] | None = None
    split_k: int | None = None
    order: str = ""
    l0_buffers: int = 2
    l0c_buffers: int | None = None
    unit_flag: bool = False
    nz_operands: str = ""
    nd2nz: str = ""
    epilogue: str = ""
    compute: str = ""
    alternate: bool = False
    bank_conflicts: bool = False
    bypass_l2: bool = False
    shared_loads: bool = False
    keep_in_l1: bool = True
    vector: Schedule | None = None

    def __post_init__(self) -> None:
        for name in COUNT_FIELDS:
            value, most = getattr(self, name), MAX_BUFFERS if name == "buffers" else 2 if "l0" in name else None
            if value is not None and not (_is_count(value, 1) and (most is None or value <= most)):
                limit = "at least 1" if most is None else f"from 1 to {most}"
                raise UsageError(f"schedule: {name} is {value!r}; use a whole number, {limit}")
        for name, length in TUPLE_LENGTHS.items():
            value = getattr(self, name)
            if value is not None:
                if not (isinstance(value, tuple | list) and len(value) == length and all(map(_is_count, value))):
                    raise UsageError(f"schedule: {name} is {value!r}; use {length} whole numbers")
                object.__setattr__(self, name, tuple(value))
        if self.tile_counts and not self.base:
            raise UsageError(f"schedule: tile_counts {self.tile_counts} counts tiles of a base block; state base, too")
        for name, choices in FIELD_CHOICES.items():
            if getattr(self, name) not in choices:
                valid = ", ".join(map(repr, choices))
                raise UsageError(f"schedule: {name} is {getattr(self, name)!r}; use one of {valid}")
        tiled = next((name for name in ("cores", "tile", "buffers") if getattr(self, name)), None)
        if tiled and self.compute == "S":
            raise UsageError(f"schedule: compute='S' is a loop on one scalar unit, without {tiled}; remove one of them")

    def __repr__(self) -> str:
        return f"Schedule({', '.join(f'{name}={value!r}' for name, value in self.non_default_fields.items())})"

    fixed, together = DeprecatedAttribute("non_default_fields"), DeprecatedAttribute("shared_loads")
    ready, keep = DeprecatedAttribute("nz_operands"), DeprecatedAttribute("keep_in_l1")
    conflict, bypass = DeprecatedAttribute("bank_conflicts"), DeprecatedAttribute("bypass_l2")
    after = DeprecatedAttribute("vector")

    @property
    def non_default_fields(self) -> dict[str, object]:
        """The fields that differ from the default, in order."""
        values = ((field.name, getattr(self, field.name), field.default) for field in fields(self))
        return {name: value for name, value, default in values if value != default}

    def without_fields_of(self, products: bool) -> Schedule:
        """This schedule without the fields that are for ``products``, or without those that are for vector work."""
        unused = CUBE_FIELDS if products else VECTOR_FIELDS
        defaults: dict[str, Any] = {field.name: field.default for field in fields(self) if field.name in unused}
        return replace(self, **defaults)

    def check_unit(self, task: str, has_products: bool) -> None:
        """Raise ``UsageError`` for a field of vector work in a task with products, or of cube work in one without."""
        wrong = next(
            (name for name in (VECTOR_FIELDS if has_products else CUBE_FIELDS) if name in self.non_default_fields), None
        )
        if wrong is None:
            return
        if has_products:
            raise UsageError(f"schedule of {task}: {wrong} is for vector work; this is a product, so use base or grid, "
                             f"and vector=Schedule({wrong}=...) for what follows it")  # fmt: skip
        raise UsageError(f"schedule of {task}: {wrong} is for products; this is vector work, so use tile and cores")


def _is_count(value: object, least: int = 0) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


Schedule.__init__ = renamed_arguments(**RENAMED_FIELDS)(Schedule.__init__)  # type: ignore[method-assign]
DEFAULT = Schedule()
