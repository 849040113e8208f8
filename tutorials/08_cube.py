# %% [markdown]
# # 8. Cube and vector units, tiling, double buffering
#
# An Ascend core has two kinds of compute units. The *cube* multiplies 16×16×16 matrices of 16-bit numbers in one cycle;
# the *vector* unit does everything else. Neither accesses memory directly: *instruction queues* move the data in steps.
# MTE2 loads into L1, MTE1 feeds L0A and L0B, M multiplies into L0C, and FIXP writes the result back. All queues can run
# at the same time.

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
# A matrix of 2 MB does not fit into the small buffers, so the product is divided into *tiles*: `base=(m, n, k)` is the
# number of rows, columns and summation steps per tile. Larger tiles are better, because each loaded element is used in
# more products. But a tile has to fit:

# %%
chip = chip_named("ascend910b1")
print(f"L0A {chip.buf.l0a:,} bytes, L0B {chip.buf.l0b:,}, L0C {chip.buf.l0c:,}, L1 {chip.buf.l1:,.0f}")

# %% [markdown]
# First, small tiles and a single buffer per operand. Each queue has to wait until the next one releases the buffer, so
# they hardly ever work at the same time: the sum of their utilisations is little more than one.


# %%
def run(schedule):
    report = simulate(product, x, w, schedule=schedule)
    shares = {q: f"{a.busy / report.cycles:.0%}" for (core, q), a in report.queues.items() if a.busy and core == "aic"}
    print(f"{schedule.base}, {schedule.buffers} buffers: {report.cycles:,} cycles, busy {shares}")
    return report


single = run(Schedule(base=(64, 64, 64), buffers=1))
double = run(Schedule(base=(64, 64, 64), buffers=2))
print(f"double buffering saves {1 - double.cycles / single.cycles:.0%} of the cycles")

# %% [markdown]
# Two buffers per operand are called *double buffering*: while the cube multiplies from one buffer, the next tile is
# loaded into the other. The saving is printed above. It would be half only if both sides took the same time; here one
# queue is the bottleneck, and the others finish early and wait for it. The animation shows one core with a smaller
# product: each indicator is a queue, with the timeline below. Note how MTE2, MTE1 and M are active at the same time.

# %%
small = simulate(product, x[:512], w[:, :512], schedule=Schedule(base=(128, 128, 64)))
show(viz.animation(small, width=900), "08_cube")

# %% [markdown]
# All other operators run on the vector units, of which there are two per cube, with their own memory (UB). They have
# queues, too, and benefit from double buffering as well:

# %%
for buffers in (1, 2):
    report = simulate(ops.tanh, numbers(0, 2048, 2048), schedule=Schedule(buffers=buffers))
    print(f"tanh with {buffers} buffers: {report.cycles:,} cycles, {report.rows[0].cost.verdict}")

# %% [markdown]
# ## Exercise (1 line)
#
# Choose `base` and `buffers` for the product, so that it takes at most 5 % more cycles than the simulator's own choice.
# A tile in L0A has m × k numbers of two bytes, one in L0B k × n, and both are stored twice; L0C holds m × n numbers of
# four bytes, once. Sizes are multiples of 16.

# %% exercise
SCHEDULE = None  # your line: Schedule(base=(m, n, k), buffers=...)

# %%
check_schedule(product, (x, w), SCHEDULE)
