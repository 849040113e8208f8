# %% [markdown]
# # 3. Source capture: loops with tensor conditions
#
# Tracing runs a function once, on tensors without values. So a loop that runs *until* a tensor satisfies a condition
# cannot be traced: the number of iterations is unknown. It is in the source code, though. `@jit` therefore reads the
# source, as MindSpore does, and translates it.

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
# This is Newton's method for square roots. In eager mode it is plain Python: the condition of the `while` is a number.

# %%
print("eager:", root(Tensor(2.0)), root(Tensor(100.0)))

# %% [markdown]
# Under `@jit`, the condition and the body of the `while` become graphs, and one node contains both. Variables that the
# loop changes (`x`) are carried from iteration to iteration; variables that it only reads (`a`) are passed in. One
# capture serves all values, however many iterations they take.

# %%
compiled = ms.jit(root)
print("graph:", compiled(Tensor(2.0)), compiled(Tensor(100.0)))
print(compiled.cache_info())

# %%
graph = compiled.graph(Tensor(2.0), pipeline="dce")
show(graph, "03_source")

# %% [markdown]
# A loop in a graph still consists of operators, so it is differentiable: its iterations are recorded as they run, and
# replayed backwards. The derivative of the square root at 9 is 1/6.

# %%
print(ms.grad(compiled)(Tensor(9.0)), "or", 1 / 6)

# %% [markdown]
# `if` works the same way: one node with two bodies, one of which runs. Whatever is known during capture stays in
# Python: a loop over `range(3)` is unrolled, and an `if` on a plain number is resolved.


# %%
def both(x, times):
    for _ in range(times):
        x = x + 1
    if x.sum() > 10:
        x = x * 2
    return x


graph = ms.jit(both).graph(Tensor([1.0, 2.0]), 3, pipeline=())
print([str(graph.op(node)) for node in graph])

# %% [markdown]
# ## Exercise (3 lines)
#
# Write Euclid's algorithm: the greatest common divisor of two scalar integer tensors. While `b` is not 0, `a` becomes
# `b`, and `b` becomes the remainder of `a` divided by `b`. The checker requires the right results, one loop node, and
# one capture for all pairs.


# %% exercise
def gcd(a, b):
    return None  # your lines


# %%
check_gcd(gcd)
