# %% [markdown]
# # 14. Your own model: what bounds a Llama block
#
# Take a published architecture, find what bounds it, write a rule for it, and see it fire. The architecture is the
# block of Llama (arXiv 2302.13971): attention and a gated feed-forward layer (SwiGLU, arXiv 2002.05202), each after an
# RMS normalisation (by the root of the mean square, arXiv 1910.07467). With torch installed,
# `ms.from_torch(torch.export.export(module, args))` imports a module; this lesson writes the block with minigraph's
# API, so that it runs everywhere.

# %%
from collections import Counter

import minigraph as ms
import viz
from minigraph import Parameter, nn, ops
from minigraph.lessons import check_norm_rule, numbers, show
from passes import fuse


def linear(inputs, outputs):
    return nn.Dense(inputs, outputs, has_bias=False)


class RMSNorm(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.weight = Parameter(ops.ones(width))

    def construct(self, x):
        return x * ops.rsqrt(ops.mean(x * x, -1, True) + 1e-5) * self.weight


class Attention(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.qkv, self.out = heads, linear(width, 3 * width), linear(width, width)

    def construct(self, x):
        tokens, width = x.shape
        q, k, v = self.qkv(x).reshape(tokens, 3, self.heads, -1).transpose(1, 2, 0, 3)
        weights = ops.softmax(q @ k.swapaxes(-1, -2) * (width // self.heads) ** -0.5)
        return self.out((weights @ v).swapaxes(0, 1).reshape(tokens, width))


class Gated(nn.Cell):
    def __init__(self, width, hidden):
        super().__init__()
        self.gate, self.up, self.down = linear(width, hidden), linear(width, hidden), linear(hidden, width)

    def construct(self, x):
        return self.down(ops.silu(self.gate(x)) * self.up(x))


class Block(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.attention = RMSNorm(width), Attention(width, heads)
        self.norm2, self.gated = RMSNorm(width), Gated(width, 4 * width)

    def construct(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.gated(self.norm2(x))


# %% [markdown]
# The graph has a scope for every Cell. (Llama's rotary positions and causal mask are left out; they change nothing in
# what follows.)

# %%
net, x = nn.SequentialCell(Block(64, 4), Block(64, 4)), numbers(0, 128, 64)
graph = ms.jit(net).graph(x)
show(viz.dot(graph, limit=40), "14_own_model")

# %% [markdown]
# What bounds it? Add up the simulated cycles by Cell. Each task has a start-up time, so many small tasks can cost as
# much as a few large products.

# %%
tasks, cycles = Counter(), Counter()
for row in ms.simulate(graph).rows:
    path = graph.loc(row.node)[0].scope.split("/")[2:3]
    tasks.update(path)
    cycles.update(dict.fromkeys(path, row.cycles))
print(*(f"{cell:10} {tasks[cell]:3} tasks {total:9,} cycles" for cell, total in cycles.most_common()), sep="\n")

# %% [markdown]
# The products of `attention` and `gated` are the work of the network. The norms compute little, in many tasks: the mean
# separates the operators before it from those after it, so that the default passes do not fuse them. A rule can,
# because it names what belongs together.
#
# A rule in front of the default pipeline fires before it: here one for the gate.

# %%
GATE = fuse("Gate", lambda a, b: ops.silu(a) * b)
first, *_ = ms.jit(net, pipeline=[GATE, "default"]).records(x)
print(first, "|", first.rules)

# %% [markdown]
# ## Exercise (1 line)
#
# Write a fusion rule for the normalisation, for any weight `w` and any small constant `e`. The checker requires that it
# fires once for each of the four norms, that no operator of a norm stays outside of the fused nodes, that the results
# have the same bits, and that the cycles are fewer than with the default passes alone.

# %% exercise
NORM = None  # your line

# %%
check_norm_rule(NORM, net, x)
