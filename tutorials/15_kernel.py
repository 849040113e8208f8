# %% [markdown]
# # 15. Bring your own kernel: schedules and autotuning
#
# Tiles are not all there is to a kernel. A *schedule* fixes more of a kernel, in the words of the vendor's manual: base
# blocks, the order of the tiles, cores, buffers, and which queue does what. The simulator lowers your schedule exactly
# as its own default plan, so that their times are comparable, and it reports what bounds them.

# %%
import minigraph as ms
from minigraph import ops
from minigraph.lessons import check_kernel, numbers, show
from minigraph.npu import Schedule, autotune, simulate
from minigraph.npu.reports import critical_sheet

x, w = (numbers(seed, 1024, 1024).astype(ms.float16) for seed in (0, 1))
tall, wide = numbers(2, 1280, 1024).astype(ms.float16), numbers(3, 1024, 1280).astype(ms.float16)


def product(x, w):
    return x @ w


report = simulate(product, x, w)
(task,) = report.rows
print(f"{report.cycles:,} cycles, {task.cost.verdict}")
print(task.schedule)

# %% [markdown]
# The default plan prefers large base blocks, as the vendor's library does: each loaded element is used in more
# products. But blocks of 128 × 256 give 32 tiles, and the chip has 24 cube cores. So 16 cores compute two
# tiles each, and the others none. *Waves* and their tail are what a schedule can change.
#
# Blocks of 128 × 192 give 8 × 6 = 48 tiles, two for each core. A schedule belongs to a task, by its node or its name;
# what it leaves open, the search chooses:


# %%
def cycles_with(**schedule):
    return simulate(product, x, w, schedule={"matmul": Schedule(**schedule)}).cycles


even = cycles_with(base=(128, 192, 80))
print(f"48 tiles: {even:,} cycles, {even / report.cycles:.0%} of the default plan")

# %% [markdown]
# Now change one thing at a time. `buffers` are the slots for loads in L1, `l0_buffers` those of the buffers before the
# cube (`dbL0A` and `dbL0B` in the manual), `split_k` divides the sums among cores, and with `unit_flag` the queue FIXP
# stores a tile while the cube still computes it. `order` is the loop order, `grid` the cores along m and n. A schedule
# that does not fit is refused with the buffer that is too small.

# %%
for change in ({"buffers": 1}, {"l0_buffers": 1}, {"split_k": 2}, {"unit_flag": True}):
    changed = cycles_with(base=(128, 192, 80), **change)
    print(f"{change}: {changed:,} cycles, {changed / even - 1:+.1%}")

# %% [markdown]
# What bounds the kernel now? The critical path names the causes, and `viz.timeline(report)` draws all queues.

# %%
tuned = simulate(product, x, w, schedule={"matmul": Schedule(base=(128, 192, 80), unit_flag=True)})
for row in critical_sheet(tuned).first(4).records():
    print(f"{row['cause']}: {row['%']:.0f} %, {row['means']}")

# %% [markdown]
# `autotune` tries many schedules of one task. It is never slower than the default plan, because that is one of them.
# The picture is the landscape of the search: light cells are fast, frames mark the default plan and the best one.

# %%
tuning = autotune(product, x, w)
print(f"{tuning.speedup:.2f} times as fast as the default plan: {tuning.best}")
show(tuning, "15_kernel")

# %% [markdown]
# Other work has schedules, too: `tile`, `cores` and `buffers` of vector work; `vector=Schedule(tile=...)` for what
# follows a product in a fused node. `minigraph npu FILE --autotune --out FOLDER` writes the schedules of all tasks to
# `schedules.toml`, and `--schedule` reads it.

# %%
print(autotune(ops.softmax, x).best)

# %% [markdown]
# ## Exercise (1 line)
#
# Write a schedule for the product of `tall` (1280 × 1024) and `wide` (1024 × 1280) that needs at most 92 % of the
# cycles of the default plan. Count the tiles: how many does each of the 24 cores get, and how large is one?

# %% exercise
KERNEL = None  # your line: Schedule(base=(m, n, k))

# %%
check_kernel(product, (tall, wide), KERNEL)
