# %% [markdown]
# # 9. Why graph mode is faster: host against device
#
# Two machines run a program. The *host* is the computer in which Python decides what is to be done; the *device* does
# it. In eager mode the host issues every operator by itself, and for small operators that takes longer than the
# operator. A graph is issued once.

# %%
import minigraph as ms
import viz
from minigraph.lessons import check_projections, numbers, show


def slow(x, wq, wk, wv):
    return x @ wq, x @ wk, x @ wv


x, weights = numbers(0, 256, 512), [numbers(i, 512, 64) for i in range(1, 4)]

# %% [markdown]
# These are the three projections of an attention layer. `simulate` puts them on a chip described in a data file, where
# every figure has its source, behind a host described in another. Times of hosts differ widely, so there is a band:

# %%
report = ms.simulate(slow, x, *weights, chip="ascend910b1")
for mode in ("eager", "graph"):
    print(mode, report.times["warm", mode])
print(f"device alone {report.us:.1f} us")

# %% [markdown]
# The picture has a lane for the host and one for the device, first in eager mode, then for the graph. Where the lane of
# the device is empty, it waits. (The times above also hold what the host takes to notice the end.)

# %%
show(viz.launches(report, width=900), "09_host")

# %% [markdown]
# And the device itself? One line per task says which cores worked, for how long, and limited by what.

# %%
print(report)

# %% [markdown]
# Look at `head us`: to start a task takes the device six microseconds, whatever it computes, and the products are over
# in less than two. *Latency bound* means that no unit was kept busy. So even a graph pays for each of its tasks: fewer
# and larger ones are better.

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
