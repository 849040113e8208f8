# %% [markdown]
# # 4. Passes, step by step
#
# A *pass* is a function that edits a graph in place. It makes the graph smaller or cheaper, and never changes the
# results, not by one bit. A *pipeline* is a list of passes. This lesson looks at one pass in detail.

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
# This program computes the same layer twice, the second time with a redundant multiplication by 1. The captured graph
# contains all of it. The simulated chip needs this many cycles:

# %%
graph = ms.trace(program, *inputs)
print(graph)
print(f"{cycles(graph):,} cycles")

# %% [markdown]
# Now run the default pipeline. It keeps a record of each pass: nodes and bytes before and after, the number of rewrites
# per rule, and, because a cost is given, cycles. Passes that find nothing to do cost almost nothing.

# %%
records = passes.as_pipeline("default").run(graph, snapshots=True, cost=cycles)
print(records.table())

# %% [markdown]
# `canonicalize` rewrites equivalent expressions to one canonical form: `h * 1.0` becomes `h`. Only then are both layers
# identical, so that `cse` (common subexpression elimination) can remove the second. The picture shows this step: dashed
# nodes are removed, and their users now use the values of the first layer.

# %%
cse = next(record for record in records if record.name == "cse")
show(viz.diff(cse), "04_passes")

# %% [markdown]
# Nodes keep their ids and their source locations: even in the final graph, where one node may replace several, each
# node knows the lines it comes from.

# %%
for node in graph:
    print(f"%{node}", graph.op(node).label_of(graph.attrs(node)), *sorted(set(map(str, graph.loc(node)))))

# %% [markdown]
# ## Exercise (1 line)
#
# Four passes are enough for this program: `cse`, `fuse_elementwise`, `canonicalize` and `fuse_matmul_bias`, but not in
# this order. Which order leaves the fewest cycles? `fuse_matmul_bias` fuses a matrix product with its bias and
# activation; `fuse_elementwise` fuses any connected elementwise operators.

# %% exercise
ORDER = None  # your line: "cse,fuse_elementwise,canonicalize,fuse_matmul_bias" in another order

# %%
check_order(program, inputs, ORDER)
