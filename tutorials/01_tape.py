# %% [markdown]
# # 1. A tape is a list
#
# In PyNative mode every operator is computed at once, by numpy, line by line: there is no graph.
# How can such a program be differentiated? Somebody has to write down what happened. That is a *tape*:
# a plain list with one entry per operator call: which operator, on which tensors, with which result.

# %%
import minigraph as ms
import viz
from minigraph import Tensor, ops
from minigraph.autodiff.tape import Tape
from minigraph.lessons import check_rule_of_tanh, show
from minigraph.op import listening


def f(x):
    y = x * x
    return y + ops.sin(y)


# %% [markdown]
# A tape listens at the one door that every operator call goes through. It keeps only what depends on a
# tensor that it watches. `f` calls three operators, so three entries appear.

# %%
x, tape = Tensor(1.5), Tape()
tape.watch(x)
with listening(tape):
    out = f(x)
entries = list(tape.entries)
for i, entry in enumerate(entries):
    print(i, entry, "=", entry.out)

# %% [markdown]
# Now play it backwards. At the end stands `out`, whose derivative with respect to itself is 1. Each entry
# is asked: *this much arrives at your result, how much of it goes to each operand?* The answer is the
# operator's rule (its `vjp`), written with operators again. `y` is used twice, so two answers arrive there:
# **they are added**. That line is the whole secret.


# %%
def play(entries, out):
    arrived = {id(out): Tensor(1.0)}
    for entry in reversed(entries):
        g = arrived[id(entry.out)]
        for i, operand in enumerate(entry.args):
            part = entry.op.vjp_of(i)(g, entry.out, *entry.args, **entry.attrs)
            before = arrived.get(id(operand))
            arrived[id(operand)] = part if before is None else before + part
    return arrived


arrived = play(entries, out)
print("by hand:", arrived[id(x)], " by minigraph:", ms.grad(f)(x))

# %% [markdown]
# The picture shows the same three calls as a graph, with the value and the gradient at every node.

# %%
graph = ms.trace(f, x)
tensors = [x, *(entry.out for entry in entries)]
notes = {node: f"{float(t):.3f}, grad {float(arrived[id(t)]):.3f}" for node, t in zip(graph, tensors, strict=True)}
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
