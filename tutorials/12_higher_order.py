# %% [markdown]
# # 12. Gradients of gradients
#
# In the first lesson a tape was played backwards with operators: products, sums, sines. But whoever calls operators can
# be recorded. So a gradient is a program like any other, and has a gradient itself.

# %%
import numpy as np

import minigraph as ms
from minigraph import Tensor, ops
from minigraph.lessons import check_hvp, show

x = Tensor(0.3)
first, second = ms.grad(ops.tanh), ms.grad(ms.grad(ops.tanh))
print(first(x), second(x), ms.grad(second)(x))

# %% [markdown]
# The derivatives of tanh are known: 1 − t², then −2t(1 − t²), where t is tanh(x). Nobody wrote them into this library:

# %%
t = np.tanh(np.float32(0.3))
print(1 - t**2, -2 * t * (1 - t**2))

# %% [markdown]
# As a graph, the second derivative is a handful of operators, after the passes have thrown away what two rounds of
# bookkeeping left behind. Read the formula off the picture: t is computed once.

# %%
compiled = ms.jit(lambda x: second(x))
print(len(compiled.graph(x, pipeline=())), "nodes captured,", len(compiled.graph(x)), "after the passes")
show(compiled.graph(x, pipeline="canonicalize,constant_fold,cse,dce"), "12_higher_order")


# %% [markdown]
# Of a function with many inputs, all second derivatives together are a matrix, the *Hessian*. Row by row it takes one
# gradient for each input:


# %%
def f(x):
    return (ops.tanh(x) ** 3).sum() + x[0] * x[1] * x[2]


point = Tensor([0.5, 1.0, 2.0])
hessian = [ms.grad(lambda x, i=i: ms.grad(f)(x)[i])(point) for i in range(3)]
print(np.stack([row.asnumpy() for row in hessian]).round(4))

# %% [markdown]
# A network with a million parameters has a Hessian of 10¹² numbers. Nobody wants to see them; what methods of
# optimisation want is the *product* of the Hessian with a direction `v`. That is no more expensive than two gradients,
# because of one line: the derivative of the number `gradient · v` is the Hessian times `v`.
#
# ## Exercise (1 line)
#
# Write that product. The checker compares it with the matrix, and looks at the graph: as many operators for 60 inputs
# as for 6.


# %% exercise
def hvp(f, x, v):
    return None  # your line


# %%
check_hvp(hvp)
