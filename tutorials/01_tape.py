# %% [markdown]
# # 1. A tape is a list
#
# In PyNative mode every operator is computed at once, by numpy, line by line: there is no graph.
# How can such a program be differentiated? Somebody has to write down what happened. That is a *tape*:
# a plain list with one entry per operator call: which operator, on which tensors, with which result.

# %%
import inspect

import minigraph as ms
import viz
from minigraph import Tensor, ops
from minigraph.core.autodiff.tape import Tape
from minigraph.core.op import listening
from minigraph.lessons import check_rule_of_tanh, show


def f(x):
    y = x * x
    return y + ops.sin(y)


# %% [markdown]
# Every operator call passes one function, `apply`, which hands it to the open tapes afterwards. A tape records only
# what depends on a tensor that it watches. `f` calls three operators, so three entries appear.

# %%
x, tape = Tensor(1.5), Tape()
tape.watch(x)
with listening(tape):
    out = f(x)
entries = tape.entries
for i, entry in enumerate(entries):
    print(i, entry, "=", entry.out)

# %% [markdown]
# Now play it backwards. At the end stands `out`, whose derivative with respect to itself is 1. Each entry
# is asked: *this much arrives at your result, how much of it goes to each operand?* The answer is the
# operator's rule (its `vjp`, for vector-Jacobian product), written with operators again. `y` is used twice, so two
# answers arrive there: **they are added** (`_accumulate`). That is the whole secret, and the whole method: what follows
# is not a copy for this lesson, it is the code that computes every gradient here.

# %%
print(inspect.getsource(Tape.gradient))

# %%
tensors = [x, *(entry.out for entry in entries)]
gradients = tape.gradient([(out, Tensor(1.0))], tensors)
print("on the tape:", gradients[0], " by minigraph.grad:", ms.grad(f)(x))

# %% [markdown]
# (With the accelerator on, `grad` keeps its calls in flat tuples and computes simple rules on bare arrays. The numbers
# are the same to the last bit; `MINIGRAPH_ACCEL=0` leaves it out.)
#
# The picture shows the same three calls as a graph, with the value and the gradient at every node.

# %%
graph = ms.trace(f, x)
pairs = zip(graph, zip(tensors, gradients, strict=True), strict=True)
notes = {node: f"{float(value):.3f}, grad {float(gradient):.3f}" for node, (value, gradient) in pairs}
show(viz.dot(graph, values=notes), "01_tape")

# %% [markdown]
# ## Exercise (1 line)
#
# Write the rule of `out = tanh(x)`: `g` arrived at `out`; what goes to `x`? The slope of tanh is
# 1 − tanh²(x). The checker wants the right numbers, without computing tanh a second time, in three operators.


# %% exercise
def tanh_rule(g, out, x):
    return None  # your line


# %%
check_rule_of_tanh(tanh_rule)
