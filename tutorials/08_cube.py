# %% [markdown]
# # 8. Cube and vector units, tiles, and two of everything
#
# An Ascend core has two kinds of units. The *cube* multiplies small matrices, 16 by 16 by 16 numbers of 16 bits in one
# cycle; the *vector* unit does everything else. Neither touches memory: *queues* bring data closer step by step. MTE2
# loads into L1, MTE1 feeds L0A and L0B, M multiplies into L0C, FIXP carries the result out. All of them run at the
# same time, if they are allowed to.

# %%
import minigraph as ms
import viz
from minigraph import ops
from minigraph.lessons import check_schedule, numbers, show
from minigraph.npu import Schedule, chip_named, simulate

x, w = (numbers(seed, 1024, 1024).astype(ms.float16) for seed in (0, 1))


def product(x, w):
    return x @ w


# %% [markdown]
# A matrix of 2 MB fits into none of the small buffers, so the product is cut into *tiles*: `base=(m, n, k)` says how
# many rows, columns and steps of the sum go into one. Large tiles are good, for every number that is loaded is used in
# more products. But a tile has to fit:

# %%
chip = chip_named("ascend910b1")
print(f"L0A {chip.buf.l0a:,} bytes, L0B {chip.buf.l0b:,}, L0C {chip.buf.l0c:,}, L1 {chip.buf.l1:,.0f}")

# %% [markdown]
# First, small tiles and a single buffer for each operand. Then a queue has to wait until the next one has finished with
# the buffer; nobody works while anybody else does.


# %%
def tell(schedule):
    report = simulate(product, x, w, schedule=schedule)
    shares = {q: f"{a.busy / report.cycles:.0%}" for (core, q), a in report.queues.items() if a.busy and core == "aic"}
    print(f"{schedule.base}, {schedule.buffers} buffers: {report.cycles:,} cycles, busy {shares}")
    return report


single = tell(Schedule(base=(64, 64, 64), buffers=1))
double = tell(Schedule(base=(64, 64, 64), buffers=2))

# %% [markdown]
# Two buffers for each operand (*double buffering*) nearly halve the time: while the cube multiplies from one, the next
# tile is loaded into the other. The picture shows one core at a smaller product, and it moves: each lamp is a queue,
# and below them time runs. See how MTE2, MTE1 and M are lit together.

# %%
small = simulate(product, x[:512], w[:, :512], schedule=Schedule(base=(128, 128, 64)))
show(viz.animation(small, width=900), "08_cube")

# %% [markdown]
# What is no product goes to the vector units, of which there are two for each cube, with memory of their own (UB). They
# have queues, too, and the same two buffers help:

# %%
for buffers in (1, 2):
    report = simulate(ops.tanh, numbers(0, 2048, 2048), schedule=Schedule(buffers=buffers))
    print(f"tanh with {buffers} buffers: {report.cycles:,} cycles, {report.rows[0].cost.verdict}")

# %% [markdown]
# ## Exercise (1 line)
#
# Choose `base` and `buffers` for the product, so that it takes at most 5 % more cycles than the tool's own choice. A
# tile of L0A has m × k numbers of two bytes, one of L0B k × n, and both are there twice; L0C holds m × n numbers of
# four bytes, once. Sizes are multiples of 16.

# %% exercise
SCHEDULE = None  # your line: Schedule(base=(m, n, k), buffers=...)

# %%
check_schedule(product, (x, w), SCHEDULE)
