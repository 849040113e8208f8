# %% [markdown]
# # 4. Passes, step by step
#
# A *pass* is a function that edits a graph in place: it makes the graph smaller or cheaper, and never changes what is
# computed, not by one bit. A *pipeline* is a list of passes. This lesson watches one at work.

# %%
import minigraph as ms
import passes
import viz
from minigraph import ops
from minigraph.lessons import check_order, numbers, show
from minigraph.npu import cycles


def program(x, w, b):
    h = ops.tanh(x)
    y = ops.relu(h @ w + b)
    z = ops.relu((h * 1.0) @ w + b)
    return y * ops.sigmoid(z)


inputs = numbers(0, 256, 512), numbers(1, 512, 512), numbers(2, 512)

# %% [markdown]
# Somebody wrote the same layer twice, the second time with a harmless product with 1. Captured as it stands, the graph
# does all of it, and the simulated chip needs that many cycles:

# %%
graph = ms.trace(program, *inputs)
print(graph)
print(f"{cycles(graph):,} cycles")

# %% [markdown]
# Now the default pipeline. A record is kept of every pass: nodes and bytes before and after, how many rewrites its
# rules made, and, because a cost is asked for, cycles. Passes that find nothing to do cost next to nothing.

# %%
records = passes.as_pipeline("default").run(graph, snapshots=True, cost=cycles)
print(records.table())

# %% [markdown]
# `canonicalize` gives equal computations one spelling: `h * 1.0` is `h`. Only then do both layers read alike, and `cse`
# (common subexpression elimination) sees that the second one can go. The picture shows that step: what is dashed is
# gone, and whoever used it takes the first one's value instead.

# %%
cse = next(record for record in records if record.name == "cse")
show(viz.diff(cse), "04_passes")

# %% [markdown]
# Nodes keep their numbers and remember where they came from: even the last graph, in which a node stands for several,
# knows the lines that were written.

# %%
for node in graph:
    print(f"%{node}", graph.op(node).label_of(graph.attrs(node)), *sorted(set(map(str, graph.loc(node)))))

# %% [markdown]
# ## Exercise (1 line)
#
# Four passes are enough for this program: `cse`, `fuse_elementwise`, `canonicalize` and `fuse_matmul_bias`. But not in
# this order. Which order leaves the fewest cycles? `fuse_matmul_bias` takes a product with its bias and activation
# into one node; `fuse_elementwise` takes whatever elementwise operators stand side by side.

# %% exercise
ORDER = None  # your line: "cse,fuse_elementwise,canonicalize,fuse_matmul_bias" in another order

# %%
check_order(program, inputs, ORDER)
