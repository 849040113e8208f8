# %% [markdown]
# # 6. Write a fusion rule, and break one
#
# Three operators mean three launches, and two intermediate results written to memory and read again. *Fusing*
# puts them into one node. Its *body* is a small graph with the same three operators, so a fused node computes
# what its parts computed, to the last bit, and whoever runs it may keep the inner values close at hand.

# %%
import minigraph as ms
import passes
import viz
from minigraph import ops
from minigraph.lessons import check_scores_rule, numbers, show
from minigraph.npu import cycles
from passes import fuse


def layer(x, w, b):
    return ops.relu(x @ w + b)


inputs = numbers(0, 256, 512), numbers(1, 512, 512), numbers(2, 512)

# %% [markdown]
# A rule is a pattern, and a pattern is a plain function of the values it starts from. It is traced like any
# other function; what it computes is what is looked for. `b + x @ w` matches as well, for addition commutes.

# %%
DENSE = fuse("Dense", lambda x, w, b: ops.relu(x @ w + b))
print(DENSE)

# %% [markdown]
# A rule is a pass too: put it into a pipeline. The record holds the graph before and after, and the picture
# shows both at once: what is dashed is gone, what is blue is new, and nothing else has moved.

# %%
graph = ms.trace(layer, *inputs)
(record,) = passes.Pipeline([DENSE]).run(graph, snapshots=True, cost=cycles)
print(record, "|", record.rules)
print("cycles on the simulated chip:", record.cycles)
show(viz.diff(record), "06_fusion_rule")

# %% [markdown]
# When is it wrong to fuse? If somebody else needs the value in the middle. Here the product is returned as well,
# and the rule says itself why it leaves the match alone.


# %%
def leaking(x, w, b):
    product = x @ w
    return ops.relu(product + b), product


graph = ms.trace(leaking, *inputs)
(record,) = passes.Pipeline([DENSE]).run(graph)
print(record.changed, record.rules)

# %% [markdown]
# `fuse` keeps the operators, so it cannot be wrong. A `@rule` replaces them by something else, and that can. Is
# ln(x²) the same as 2·ln(x)? Every schoolbook says so. `passes.examined` tries a rule at many small places, compares
# values, types and gradients, and makes what it finds as small as it gets.


# %%
@passes.rule
def log_of_square(x):
    """The logarithm of a square is twice the logarithm."""
    return ops.log(x * x), 2 * ops.log(x)


print(passes.examined(log_of_square))

# %% [markdown]
# One negative number is enough, and no test with positive data would have found it. The same examination of the rule
# from above finds nothing:

# %%
print(passes.examined(DENSE))

# %% [markdown]
# ## Exercise (1 line)
#
# Attention computes its scores as `ops.softmax(q @ k * s)`: product, scaling, softmax. Write the rule that makes
# one node of it, for any `q` and `k` and any scale `s`. The checker wants the same bits, three nodes become one,
# no match where an inner value is used elsewhere, and fewer cycles.

# %% exercise
SCORES = None  # your line

# %%
check_scores_rule(SCORES)
