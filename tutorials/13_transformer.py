# %% [markdown]
# # 13. A Vision Transformer, from end to end
#
# Everything at once: a network as MindSpore users write it, trained under `@jit`, its training step as a graph, passes
# that shrink it, and what all that costs on a chip. The network is `minigraph.examples.vit`; it reads digits of 8 by 8
# pixels.

# %%
import minigraph as ms
import viz
from minigraph.examples import vit
from minigraph.lessons import check_patches, numbers, show

images, labels = vit.example_inputs()
print("images", images.type, "labels", labels.type)
print("Parameters:", sum(p.size for p in vit.net.trainable_params()))

# %% [markdown]
# A transformer takes a row of *tokens*. So the image is cut into 16 squares of 2 by 2 pixels; each becomes a vector,
# its place is added, and one more token is put in front, which will say what digit it is. Then every token looks at
# all others (*attention*), twice.

# %%
tokens = vit.net.embedding(images)
print("tokens", tokens.type, "scores", vit.net(images).type)

# %% [markdown]
# One training step is a function: loss, gradient, update. Captured, it is a graph with all three, and the passes make
# it smaller. What is left still knows the lines it came from.

# %%
captured = vit.train_step.graph(images, labels, pipeline=())
graph = vit.train_step.graph(images, labels)
print(len(captured), "nodes captured,", len(graph), "after the passes")

# %% [markdown]
# A graph of that size is a wall of boxes. With a `limit`, `viz.dot` draws a summary: one box for each of your lines, or
# coarser. (To look at every node, open `viz.explorer(vit.train_step, images, labels)`.)

# %%
show(viz.dot(ms.jit(vit.net).graph(images), limit=40), "13_transformer")

# %% [markdown]
# Five rounds over the training digits, and then digits that it has never seen:

# %%
before = vit.accuracy()
for epoch, loss in vit.train(5):
    print(f"epoch {epoch + 1}: loss {loss:.3f}")
print(f"read correctly: {before:.0%} before, {vit.accuracy():.0%} after")

# %% [markdown]
# On the simulated chip such a small network is all launches, as in lesson 9: eager mode pays for each of its operators,
# a graph for one. Fusion into larger kernels takes away more.

# %%
for pipeline in ("none", "default", "graph_kernel"):
    report = ms.simulate(vit.train_step.graph(images, labels, pipeline=pipeline))
    times = f"eager {report.eager_us:,.0f} us, graph {report.graph_us:,.0f} us"
    print(f"{pipeline:12} {len(report.rows):4} tasks, {times}")

# %% [markdown]
# ## Exercise (about 3 lines)
#
# The network cuts patches with a convolution. Do it without one: from images [n, 1, 8, 8] to tokens [n, 16, 4], where
# token 0 holds the pixels (0,0), (0,1), (1,0), (1,1), token 1 the square to the right of it, and so on, row by row.
# `reshape` gives an axis two parts, `transpose` brings axes side by side. The checker wants no pixel computed, and
# at most four operators.


# %% exercise
def patches(images):
    return None  # your lines


# %%
check_patches(patches, numbers(0, 3, 1, 8, 8))
