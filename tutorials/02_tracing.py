# %% [markdown]
# # 2. Tracing, and its surprises
#
# A tape records what happened. A *graph* describes what will happen: it is captured once, optimised, compiled, and then
# called many times. The function stays the same; only `@jit` is added. Three things surprise most users once: `print`,
# numpy, and `if`.

# %%
import warnings

import numpy as np

import minigraph as ms
from minigraph import Tensor, ops
from minigraph.capture.side_effects import SideEffectWarning
from minigraph.core.errors import TraceError
from minigraph.lessons import check_predictions, show


def f(x):
    print("  Python runs f")
    for _ in range(2):
        x = ops.tanh(x) * 0.5
    return x


# %% [markdown]
# In PyNative mode, Python runs the function at every call.

# %%
x = Tensor([1.0, 2.0])
for call in range(3):
    print("eager call", call)
    f(x)

# %% [markdown]
# In graph mode, the first call runs the function *once*, on tracers: tensors with a shape and dtype but no values. Each
# operator called on them adds a node to the graph. Later calls execute the compiled graph without running the Python
# function, so `print` prints nothing (`ops.Print()` is an operator and prints every time). `@jit` warns about such side
# effects; here they are intended.
#
# `capture_mode="trace"` runs the function as written. The default, `"ast"`, first translates its source, so that `if`
# and `while` accept tensor conditions and `print` becomes a node.

# %%
warnings.simplefilter("ignore", SideEffectWarning)
compiled = ms.jit(f, capture_mode="trace")
for call in range(3):
    print("jit call", call)
    compiled(x)

# %% [markdown]
# What was captured? Asking for the graph captures the function again, so Python runs it once more. The loop is gone: it
# was unrolled during tracing. Four operators are left, and a constant that two of them share.

# %%
graph = compiled.graph(x, pipeline=())
print(graph)
show(graph, "02_tracing")

# %% [markdown]
# A graph is specialised to one combination of shapes and dtypes. A new shape causes a new capture; `cache_info` lists
# the reasons.

# %%
compiled(Tensor([1.0, 2.0, 3.0]))
for reason in compiled.cache_info().reasons:
    print(reason)

# %% [markdown]
# The other two surprises: a tracer has no values, so no graph is captured from a function that needs one. `@jit` then
# runs it op by op, as in PyNative mode, and warns once; the result is right, but nothing is optimised. With
# `fullgraph=True` it raises an error with your line and a remedy instead. (The next lesson shows how `@jit` captures
# both functions when it translates their source.)


# %%
def branches(x):
    return x * 2 if x.sum() > 0 else -x


def uses_numpy(x):
    return Tensor(np.sin(x.asnumpy()))


for surprising in (branches, uses_numpy):
    try:
        ms.jit(surprising, capture_mode="trace", fullgraph=True)(x)
    except TraceError as error:
        print(error)

# %% [markdown]
# ## Exercise (4 numbers)
#
# `program` is called three times, with shapes [2], [2] and [3]: first eagerly, then traced by `@jit`. How many lines
# does it print in each mode, how many operators does its graph have, and how many times is it compiled?


# %%
def program(x):
    print("hello")
    for _ in range(3):
        x = x * 2.0 + 1.0
    return x


# %% exercise
answers = {
    "eager_prints": None,
    "jit_prints": None,
    "graph_operators": None,
    "compiles": None,
}

# %%
check_predictions(program, answers)
