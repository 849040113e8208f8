# %% [markdown]
# # 1. A tape is a list
#
# In PyNative mode every operator is executed immediately by numpy, line by line; there is no graph. To differentiate
# such a program, the calls have to be recorded. The record is a *tape*: a plain list with one entry per operator call,
# which holds the operator, its operands and its result.

# %%
import inspect

import minigraph as ms
import viz
from minigraph import Tensor, ops
from minigraph.core.autodiff.tape import Tape
from minigraph.core.op import record_on
from minigraph.lessons import check_rule_of_tanh, show


def f(x):
    y = x * x
    return y + ops.sin(y)


# %% [markdown]
# Every operator call passes through one function, `apply`, which then notifies the active tapes. A tape records only
# calls that depend on a tensor it watches. `f` calls three operators, so the tape has three entries.

# %%
x, tape = Tensor(1.5), Tape()
tape.watch(x)
with record_on(tape):
    out = f(x)
entries = tape.entries
for i, entry in enumerate(entries):
    print(i, entry, "=", entry.out)

# %% [markdown]
# Reverse-mode differentiation replays the tape backwards. It starts at `out`, whose derivative with respect to itself
# is 1. At each entry, the operator's rule (its `vjp`, for vector-Jacobian product) takes the gradient of the result and
# returns the gradient of each operand. The rule is itself written with operators. `y` is used twice, so it receives two
# gradients, and **they are added** (`_accumulate`). That is the whole method. The loop below is not simplified for this
# lesson: it is the library's, and without the accelerator it computes every gradient. (`_pop_entries` takes the entries
# off the tape, the last one first, `_operand_cotangents` applies the rules, and `unbroadcast` sums over axes that
# broadcasting has repeated.)

# %%
print(inspect.getsource(Tape.gradient))

# %%
tensors = [x, *(entry.out for entry in entries)]
gradients = tape.gradient([(out, Tensor(1.0))], tensors)
print("on the tape:", gradients[0], " by minigraph.grad:", ms.grad(f)(x))

# %% [markdown]
# (With the accelerator on, `grad` stores calls in flat tuples, and a loop of its own evaluates simple rules on bare
# arrays; other rules still go through the loop above. The results are bitwise equal; `MINIGRAPH_ACCEL=0` turns it off.)
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
# Write the rule for `out = tanh(x)`: given the gradient `g` of `out`, return the gradient of `x`. The derivative of
# tanh is 1 − tanh²(x). The checker requires the right numbers from at most three operators, without computing tanh
# again.


# %% exercise
def tanh_rule(g, out, x):
    return None  # your line


# %%
check_rule_of_tanh(tanh_rule)
