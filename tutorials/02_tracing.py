# %% [markdown]
# # 2. Tracing, and its surprises
#
# A tape knows what happened. A *graph* knows what will happen: it is captured once, improved, compiled, and
# then called many times. The function stays the same, `@jit` is all that changes. Three things surprise everybody
# once: `print`, numpy, and `if`.

# %%
import warnings

import numpy as np

import minigraph as ms
from minigraph import Tensor, ops
from minigraph.capture.side_effects import SideEffect
from minigraph.core.errors import TraceError
from minigraph.lessons import check_predictions, show


def f(x):
    print("  Python runs f")
    for _ in range(2):
        x = ops.tanh(x) * 0.5
    return x


# %% [markdown]
# PyNative mode: Python runs the function at every call.

# %%
x = Tensor([1.0, 2.0])
for call in range(3):
    print("eager call", call)
    f(x)

# %% [markdown]
# Graph mode: the first call runs the function *once*, on tracers: tensors that know their shape and dtype but
# hold no numbers. Every operator they meet becomes a node. Later calls run the compiled graph; Python never
# sees the function again, so `print` stays silent (`ops.Print()` is an operator, and would print each time).
# `@jit` warns of that, because few mean it; here it is the point.
#
# `capture_mode="trace"` runs the function as written. The default, `"ast"`, translates its source first, so that
# `if` and `while` may ask tensors, and `print` becomes a node, too.

# %%
warnings.simplefilter("ignore", SideEffect)
compiled = ms.jit(f, capture_mode="trace")
for call in range(3):
    print("jit call", call)
    compiled(x)

# %% [markdown]
# What was captured? Asking for the graph captures it once more, so Python runs once more. The loop is gone:
# Python unrolled it while tracing. Four operators are left, and a constant that two of them share.

# %%
graph = compiled.graph(x, pipeline=())
print(graph)
show(graph, "02_tracing")

# %% [markdown]
# A graph fits one combination of shapes and dtypes. Another shape is another graph, and `cache_info` tells why.

# %%
compiled(Tensor([1.0, 2.0, 3.0]))
for reason in compiled.cache_info().reasons:
    print(reason)

# %% [markdown]
# The other two surprises: a tracer has no numbers, so what needs one is refused, with your line and a way out. A
# wrong answer that comes silently would be worse. (The next lesson shows how `@jit` takes both after all.)


# %%
def asks(x):
    return x * 2 if x.sum() > 0 else -x


def leaves(x):
    return Tensor(np.sin(x.asnumpy()))


for surprising in (asks, leaves):
    try:
        ms.jit(surprising, capture_mode="trace")(x)
    except TraceError as error:
        print(error)

# %% [markdown]
# ## Exercise (4 numbers)
#
# `program` is called three times, with shapes [2], [2] and [3]: first eagerly, then traced by `@jit`. How many
# lines does it print in each mode, how many operators has its graph, and how often is it compiled?


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
