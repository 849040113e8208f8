# %% [markdown]
# # 12. Gradients of gradients
#
# In the first lesson a tape was replayed backwards with operators: products, sums, sines. Operator calls can be
# recorded. So a gradient is a program like any other, and can be differentiated itself.

# %%
import numpy as np

import minigraph as ms
from minigraph import Tensor, ops
from minigraph.lessons import check_hvp, show

x = Tensor(0.3)
first, second = ms.grad(ops.tanh), ms.grad(ms.grad(ops.tanh))
print(first(x), second(x), ms.grad(second)(x))

# %% [markdown]
# The derivatives of tanh are known: 1 − t², then −2t(1 − t²), where t is tanh(x). They are not written anywhere in this
# library:

# %%
t = np.tanh(np.float32(0.3))
print(1 - t**2, -2 * t * (1 - t**2))

# %% [markdown]
# As a graph, the second derivative is short, once the passes have removed what two levels of differentiation leave
# behind. You can read the formula from the picture: t is computed once.

# %%
compiled = ms.jit(lambda x: second(x))
print(len(compiled.graph(x, pipeline=())), "nodes captured,", len(compiled.graph(x)), "after the passes")
show(compiled.graph(x, pipeline="canonicalize,constant_fold,cse,dce"), "12_higher_order")


# %% [markdown]
# For a function of many inputs, all second derivatives form a matrix, the *Hessian*. Row by row it takes one gradient
# per input:


# %%
def f(x):
    return (ops.tanh(x) ** 3).sum() + x[0] * x[1] * x[2]


point = Tensor([0.5, 1.0, 2.0])
hessian = [ms.grad(lambda x, i=i: ms.grad(f)(x)[i])(point) for i in range(3)]
print(np.stack([row.asnumpy() for row in hessian]).round(4))

# %% [markdown]
# A network with a million parameters has a Hessian of 10¹² elements. Optimisation methods do not need the matrix, only
# its *product* with a direction `v`. That product costs about as much as two gradients, because the derivative of the
# scalar `gradient · v` is the Hessian times `v`.
#
# ## Exercise (1 line)
#
# Write that product. The checker compares it with the matrix, and requires as many operators for 60 inputs as for 6.


# %% exercise
def hvp(f, x, v):
    return None  # your line


# %%
check_hvp(hvp)
