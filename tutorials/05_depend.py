# %% [markdown]
# # 5. Order is data: the lost update
#
# The simplest pass is dead-code elimination: it erases what nobody needs. It is also the most
# dangerous one, for who says that an assignment is needed?

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
# Capture it without automatic ordering, `auto_depend=False`. A graph holds nodes and edges; nothing in it says
# that line comes after line. The loss needs neither `exp` nor the update, so dead-code elimination takes both.
# In the picture everything dashed goes. The training step no longer trains.

# %%
x = Tensor([3.0, 4.0])
step = ms.jit(careless, auto_depend=False)
record = next(r for r in step.records(x) if r.name == "dce")
print(record)
show(viz.diff(record), "05_depend")
step(x)
print("weight after one step:", weight.value())

# %% [markdown]
# `ops.depend(value, update)` says it with an edge: *who takes this value waits for the update*. Now the order is
# data, every pass can see it, and none may forget it. (With `auto_depend=True`, the default, `@jit` draws such
# edges itself, from what the operators declare to read and write.)


# %%
def careful(x):
    loss = (x * weight).sum()
    return ops.depend(loss, ops.assign(weight, weight - 0.1 * x))


step = ms.jit(careful, auto_depend=False)
print(step.graph(x))
step(x)
print("weight after one step:", weight.value())

# %% [markdown]
# In the text above, `after %n(depend)` is such an order edge: the pass `lower_depend` has turned the depend
# operator into it, so that other passes see straight through.
#
# ## Exercise (about 8 lines)
#
# Write the pass. Start at the outputs (`graph.outs`) and the inputs (`graph.inputs`), walk to everything they
# need, and `graph.erase(...)` the rest. Of a node, `graph.ins(node)` are the operands: *references*, whose node is
# `producer(ref)`; `graph.before(node)` are the nodes that an order edge puts before it. The checker runs 50 random
# programs: the same values, exactly the dead nodes gone, no node touched twice.

# %%
graph = step.graph(x, pipeline="lower_depend")
for node in graph:
    print(node, graph.op(node), "takes", [producer(ref) for ref in graph.ins(node)], "waits for", graph.before(node))


# %% exercise
def dce(graph, *, options):
    pass  # your lines


# %%
check_dce(dce)
