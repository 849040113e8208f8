# %% [markdown]
# # 7. A new operator, with its gradient
#
# An operator is one record: how numpy computes it, what its gradient is, what it costs. Whoever meets it (the tape,
# `@jit`, the passes, the simulator, these pictures) reads the record, so nothing else has to be written.

# %%
import numpy as np

import minigraph as ms
import viz
from minigraph import Tensor, ops
from minigraph.lessons import check_hypot, numbers, show
from minigraph.operators.families import elementwise

# %% [markdown]
# ln(cosh(x)) is a loss that forgives outliers: x²/2 near zero, |x| far away. Its slope is tanh(x). Three things are
# said here: the forward in numpy, on arrays; the `vjp`, one function for each input, which gets what arrived (`g`), the
# result and the inputs; and `lanes`, what kind of work a vector unit has with it.

# %%
log_cosh = elementwise(
    "log_cosh",
    lambda x: np.logaddexp(x, -x) - np.log(x.dtype.type(2)),
    vjp=(lambda g, out, x: g * ops.tanh(x),),
    lanes=("special", "special", "simple"),
    kinds="f",
    into=False,
    doc="ln(cosh(x)), element by element.",
)
x = Tensor([-2.0, 0.0, 0.5])
print(log_cosh(x), ms.grad(log_cosh)(x))

# %% [markdown]
# The gradient is written with *operators* (`ops.tanh`), not with numpy. That is why it can be recorded and captured,
# and why it has a gradient itself. The second derivative of ln(cosh(x)) is 1 − tanh²(x), and nobody had to write it:

# %%
second = ms.jit(lambda x: ms.grad(ms.grad(log_cosh))(x))
print(second(x), "or", 1 - np.tanh(x.asnumpy()) ** 2)

# %% [markdown]
# Here is a small program with the new loss, call by call, with the value and the gradient at each. The simulator knows
# from `lanes` what the operator costs.


# %%
def loss(w):
    return log_cosh(w * 3.0 - 1.0).sum()


show(viz.tape(loss, Tensor([0.5, 0.2])), "07_operator")
print("one task on the chip:", ms.simulate(log_cosh, numbers(0, 1024, 1024)).rows[0].cycles, "cycles")

# %% [markdown]
# ## Exercise (2 lines)
#
# √(x² + y²) has two inputs. The forward exists in numpy; write the two parts of its gradient. The slope along x is x
# divided by the result. The checker tries both parts in both modes, and wants second derivatives, too.

# %% exercise
vjp_of_hypot = (
    None,  # lambda g, out, x, y: ...
    None,
)

# %%
check_hypot(vjp_of_hypot)
