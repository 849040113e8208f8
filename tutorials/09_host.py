# %% [markdown]
# # 9. What it costs on an NPU
#
# An Ascend core has a *cube* that multiplies matrices and *vector* units for the rest. Data comes from memory
# through queues: MTE2 loads, MTE1 feeds the cube, M multiplies, V computes, FIXP and MTE3 store. All queues run
# at the same time; what one operator costs is decided by the busiest, and by how they wait for each other.

# %%
import minigraph as ms
import viz
from minigraph.lessons import check_projections, numbers, show


def slow(x, wq, wk, wv):
    return x @ wq, x @ wk, x @ wv


x, weights = numbers(0, 256, 512), [numbers(i, 512, 64) for i in range(1, 4)]

# %% [markdown]
# These are the three projections of an attention layer. `simulate` runs their graph on a chip described in a data
# file, where every figure has its source. One line per task: which cores, how long, limited by what.

# %%
report = ms.simulate(slow, x, *weights, chip="ascend910b1")
print(report)

# %% [markdown]
# Look at `head us`: starting a task takes six microseconds, whatever it computes, and the products are over in
# less than two. `busy cycles` says the same: the scalar queue S, which starts tasks, is busy far longer than the
# cube queue M. *Latency bound* means that no unit was kept busy. The picture shows the first product up close:
# one lane per queue, and how little of the time M has anything to do.

# %%
first = report.rows[0]
show(viz.timeline(report, node=first.node), "09_host")
print("busy:", {queue: cycles for queue, cycles in report.busy.items() if cycles})

# %% [markdown]
# Eager mode makes it worse, for then the host launches each task on its own. A graph is launched once.

# %%
print(f"eager {report.eager_us:.1f} us, graph {report.graph_us:.1f} us, device alone {report.us:.1f} us")

# %% [markdown]
# ## Exercise (about 2 lines)
#
# The three products read the same `x`. Put the weights side by side and one larger product does it all: one head,
# `x` loaded once, a wider tile for the cube. `w` is `[wq | wk | wv]`, of shape [512, 192]; return the same three
# results. The checker compares them, counts the products, and asks the simulator for at most half of the cycles.


# %% exercise
def fast(x, w):
    return None  # your lines


# %%
check_projections(slow, fast, x, weights)
