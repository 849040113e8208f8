# %% [markdown]
# # 6. Write a fusion rule, and break one
#
# Three operators mean three kernel launches, and two intermediate results that are written to memory and read again.
# *Fusion* combines them into one node. Its *body* is a small graph of the same three operators, so a fused node
# computes bitwise the same results, and a kernel can keep the intermediate values on chip.

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
# A fusion rule is a pattern, written as a plain function of its inputs. It is traced like any other function, and the
# matcher looks for the traced operators. `b + x @ w` matches as well, because addition is commutative.

# %%
DENSE = fuse("Dense", lambda x, w, b: ops.relu(x @ w + b))
print(DENSE)

# %% [markdown]
# A rule is also a pass: put it into a pipeline. The record holds the graphs before and after. The picture overlays
# both: removed nodes are dashed, added nodes are blue, and everything else keeps its position.

# %%
graph = ms.trace(layer, *inputs)
(record,) = passes.Pipeline([DENSE]).run(graph, snapshots=True, cost=cycles)
print(record, "|", record.rules)
print("cycles on the simulated chip:", record.cycles)
show(viz.diff(record), "06_fusion_rule")

# %% [markdown]
# When is fusion invalid? If an intermediate value has other uses. Here the product is returned as well, so the match is
# rejected, and the record gives the reason.


# %%
def leaking(x, w, b):
    product = x @ w
    return ops.relu(product + b), product


graph = ms.trace(leaking, *inputs)
(record,) = passes.Pipeline([DENSE]).run(graph)
print(record.changed, record.rules)

# %% [markdown]
# `fuse` keeps the operators, so it is correct by construction. A `@rule` replaces operators by others, so it can be
# wrong. Is ln(x²) the same as 2·ln(x)? Schoolbooks say so. `passes.examine` tests a rule on many small inputs,
# compares values, types and gradients, and minimises the counterexample that it finds.


# %%
@passes.rule
def log_of_square(x):
    """The logarithm of a square is twice the logarithm."""
    return ops.log(x * x), 2 * ops.log(x)


print(passes.examine(log_of_square))

# %% [markdown]
# One negative number is a counterexample, and no test on positive data would have found it. The fusion rule from above
# passes the same test:

# %%
print(passes.examine(DENSE))

# %% [markdown]
# ## Exercise (1 line)
#
# Attention computes its scores as `ops.softmax(q @ k * s)`: product, scaling, softmax. Write a fusion rule for it that
# matches any `q`, `k` and scale `s`. The checker requires equal bits, one node instead of three, no match if an
# intermediate value has other uses, and fewer cycles.

# %% exercise
SCORES = None  # your line

# %%
check_scores_rule(SCORES)
