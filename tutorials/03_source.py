# %% [markdown]
# # 3. Source capture: loops that ask tensors
#
# Tracing runs a function once, on tensors without numbers. So a loop that goes on *until* a tensor says stop
# cannot be traced: how often should it go round? The answer is not in the run, it is in the text. `@jit` therefore
# reads the source, as MindSpore does, and translates it.

# %%
import minigraph as ms
from minigraph import Tensor
from minigraph.lessons import check_gcd, show


def root(a):
    x = a
    while abs(x * x - a) > 1e-5 * a:
        x = (x + a / x) / 2
    return x


# %% [markdown]
# This is Newton's way to a square root. Eagerly it is plain Python: the `while` asks a number and gets one.

# %%
print("eager:", root(Tensor(2.0)), root(Tensor(100.0)))

# %% [markdown]
# Under `@jit` the test of the `while` becomes a graph of its own, and so does its body. One node holds both. What the
# loop changes (`x`) goes round, what it only reads (`a`) comes in from outside. The graph is captured once and serves
# every number, however many rounds that takes.

# %%
compiled = ms.jit(root)
print("graph:", compiled(Tensor(2.0)), compiled(Tensor(100.0)))
print(compiled.cache_info())

# %%
graph = compiled.graph(Tensor(2.0), pipeline="dce")
show(graph, "03_source")

# %% [markdown]
# A loop inside of a graph is still made of operators, so it has a gradient: the rounds are recorded as they happen and
# played backwards. The slope of the root at 9 should be 1/6.

# %%
print(ms.grad(compiled)(Tensor(9.0)), "or", 1 / 6)

# %% [markdown]
# The same goes for `if`: two bodies in one node, of which one runs. And what is known while capturing stays Python: a
# loop over `range(3)` is unrolled, an `if` that asks a plain number is decided.


# %%
def both(x, often):
    for _ in range(often):
        x = x + 1
    if x.sum() > 10:
        x = x * 2
    return x


graph = ms.jit(both).graph(Tensor([1.0, 2.0]), 3, pipeline=())
print([str(graph.op(node)) for node in graph])

# %% [markdown]
# ## Exercise (3 lines)
#
# Write Euclid's algorithm: the greatest common divisor of two tensors of one whole number each. As long as `b` is not
# 0, `a` becomes `b`, and `b` becomes what is left when `a` is divided by `b`. The checker wants the right numbers, one
# loop node, and one capture for all pairs.


# %% exercise
def gcd(a, b):
    return None  # your lines


# %%
check_gcd(gcd)
