# %% [markdown]
# # 7. A new operator, with its gradient
#
# An operator is one record: its forward computation in numpy, its gradient, and its cost. The tape, `@jit`, the passes,
# the simulator and these pictures all read that record, so nothing else has to be written.

# %%
import numpy as np

import minigraph as ms
import viz
from minigraph import Tensor, ops
from minigraph.lessons import check_hypot, numbers, show
from minigraph.operators.families import elementwise

# %% [markdown]
# ln(cosh(x)) is a loss that is robust to outliers: about x²/2 near zero, |x| − ln 2 far away. Its derivative is
# tanh(x). The record has three parts: the forward function on numpy arrays; the `vjp`, one function per input, which
# takes the incoming gradient (`g`), the result and the inputs; and `lanes`, the classes of vector instructions that an
# element needs. (`into=False` says that the forward takes no `out=`, unlike numpy's own functions.)

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
# The gradient is written with *operators* (`ops.tanh`), not with numpy. Therefore it can be recorded and captured, and
# it is differentiable itself. The second derivative of ln(cosh(x)) is 1 − tanh²(x), and it needs no extra code:

# %%
second = ms.jit(lambda x: ms.grad(ms.grad(log_cosh))(x))
print(second(x), "or", 1 - np.tanh(x.asnumpy()) ** 2)

# %% [markdown]
# Here is a small program with the new loss, call by call, with the value and the gradient of each. The simulator
# derives the cost of the operator from `lanes`.


# %%
def loss(w):
    return log_cosh(w * 3.0 - 1.0).sum()


show(viz.tape(loss, Tensor([0.5, 0.2])), "07_operator")
print("one task on the chip:", ms.simulate(log_cosh, numbers(0, 1024, 1024)).rows[0].cycles, "cycles")

# %% [markdown]
# ## Exercise (2 lines)
#
# √(x² + y²) has two inputs. The forward exists in numpy; write the VJP rule for each input. The derivative with respect
# to x is x divided by the result. The checker tests both rules in both modes, including second derivatives.

# %% exercise
vjp_of_hypot = (
    None,  # lambda g, out, x, y: ...
    None,
)

# %%
check_hypot(vjp_of_hypot)
