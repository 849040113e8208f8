# %% [markdown]
# # 5. Order is data: the lost update
#
# The simplest pass is dead-code elimination: it erases nodes whose results are not used. It is also the most dangerous
# one, because nothing uses the result of an assignment.

# %%
import minigraph as ms
import viz
from minigraph import Parameter, Tensor, ops
from minigraph.ir.graph import producer
from minigraph.lessons import check_dce, show

weight = Parameter(Tensor([1.0, 2.0]), name="weight")


def careless(x):
    loss = (x * weight).sum()
    ops.exp(loss)  # computed, never used
    ops.assign(weight, weight - 0.1 * x)
    return loss


# %% [markdown]
# Capture this function without automatic ordering, `auto_depend=False`. A graph consists of nodes and edges, and does
# not store the order of the lines. The loss depends neither on `exp` nor on the update, so dead-code elimination
# removes both (dashed in the picture). The training step no longer trains.

# %%
x = Tensor([3.0, 4.0])
step = ms.jit(careless, auto_depend=False)
record = next(r for r in step.records(x) if r.name == "dce")
print(record)
show(viz.diff(record), "05_depend")
step(x)
print("weight after one step:", weight.value())

# %% [markdown]
# `ops.depend(value, update)` expresses the order as an edge: *users of this value wait for the update*. Now every pass
# can see the order and has to preserve it. (With `auto_depend=True`, the default, `@jit` adds such edges itself, based
# on the effects that operators declare.)


# %%
def careful(x):
    loss = (x * weight).sum()
    return ops.depend(loss, ops.assign(weight, weight - 0.1 * x))


step = ms.jit(careful, auto_depend=False)
print(step.graph(x))
step(x)
print("weight after one step:", weight.value())

# %% [markdown]
# In the text above, `after %n(depend)` is such an order edge: the pass `lower_depend` has replaced the depend operator
# by it, so that other passes are not blocked by an extra node.
#
# ## Exercise (about 8 lines)
#
# Write the pass. Start at the outputs (`graph.outs`) and the inputs (`graph.inputs`), visit everything they need, and
# `graph.erase(...)` the rest. `graph.ins(node)` are the operands of a node: *references*, whose node is
# `producer(ref)`. `graph.before(node)` are the nodes that an order edge puts before it. The checker runs 50 random
# programs and requires the same results, exactly the dead nodes erased, and no node edited twice.

# %%
graph = step.graph(x, pipeline="lower_depend")
for node in graph:
    print(node, graph.op(node), "uses", [producer(ref) for ref in graph.ins(node)], "waits for", graph.before(node))


# %% exercise
def dce(graph, *, options):
    pass  # your lines


# %%
check_dce(dce)
