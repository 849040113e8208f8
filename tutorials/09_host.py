# %% [markdown]
# # 9. Why graph mode is faster: host and device
#
# Two machines run a program. The *host* runs Python and decides what to compute; the *device* computes it. In eager
# mode the host issues each operator separately, which for small operators takes longer than executing it. A graph is
# issued once.

# %%
import minigraph as ms
import viz
from minigraph.lessons import check_projections, numbers, show


def slow(x, wq, wk, wv):
    return x @ wq, x @ wk, x @ wv


x, weights = numbers(0, 256, 512), [numbers(i, 512, 64) for i in range(1, 4)]

# %% [markdown]
# These are the three projections of an attention layer. `simulate` runs them on a chip that is described in a data file
# with a source for every value, together with a host model. Host times vary widely, so they are given as ranges:

# %%
report = ms.simulate(slow, x, *weights, chip="ascend910b1")
for mode in ("eager", "graph"):
    print(mode, report.times["warm", mode])
print(f"device alone {report.us:.1f} us")

# %% [markdown]
# The picture has one track for the host and one for the device, first in eager mode, then for the graph. Gaps in the
# device track are idle time. (The times above also include the time until the host notices the end.)

# %%
show(viz.launches(report, width=900), "09_host")

# %% [markdown]
# And the device itself? The report has one line per task: the cores used, the time, and the bottleneck.

# %%
print(report)

# %% [markdown]
# Look at `head us`: starting a task takes the device this long, whatever it computes, and longer than the product
# itself. *Latency bound* means that no unit is kept busy. So even a graph pays for each of its tasks: fewer and larger
# tasks are better.

# %% [markdown]
# ## Exercise (about 2 lines)
#
# The three products read the same `x`. Concatenate the weights, and one larger product computes all of them: one task
# start, `x` loaded once, wider tiles for the cube. `w` is `[wq | wk | wv]`, of shape [512, 192]; return the same three
# results. The checker compares them, counts the products, and allows at most half of the simulated cycles.


# %% exercise
def fast(x, w):
    return None  # your lines


# %%
check_projections(slow, fast, x, weights)
