# %% [markdown]
# # 13. A Vision Transformer, end to end
#
# This lesson combines everything: a network written as in MindSpore, trained under `@jit`, its training step as a
# graph, passes that shrink the graph, and its cost on a chip. The network is `minigraph.examples.vit`; it classifies
# digits of 8 by 8 pixels.

# %%
import minigraph as ms
import viz
from minigraph.examples import vit
from minigraph.lessons import check_patches, numbers, show

images, labels = vit.example_inputs()
print("images", images.type, "labels", labels.type)
print("Parameters:", sum(p.size for p in vit.net.trainable_params()))

# %% [markdown]
# A transformer takes a sequence of *tokens*. So the image is divided into 16 patches of 2 by 2 pixels. Each patch
# becomes a vector, a position embedding is added, and one more token, which will hold the class, is prepended. Then
# every token attends to all others (*attention*), in two layers.

# %%
tokens = vit.net.embedding(images)
print("tokens", tokens.type, "scores", vit.net(images).type)

# %% [markdown]
# One training step is a function: loss, gradient, update. The captured graph contains all three, and the passes make it
# smaller. The remaining nodes keep their source lines.

# %%
captured = vit.train_step.graph(images, labels, pipeline=())
graph = vit.train_step.graph(images, labels)
print(len(captured), "nodes captured,", len(graph), "after the passes")

# %% [markdown]
# A graph of that size is too large to read. With a `limit`, `viz.dot` draws a summary: one box per source line, or
# coarser. (To inspect every node, open `viz.explorer(vit.train_step, images, labels)`.)

# %%
show(viz.dot(ms.jit(vit.net).graph(images), limit=40), "13_transformer")

# %% [markdown]
# Five epochs over the training digits, then the accuracy on digits that the network has never seen:

# %%
before = vit.accuracy()
for epoch, loss in vit.train(5):
    print(f"epoch {epoch + 1}: loss {loss:.3f}")
print(f"accuracy: {before:.0%} before, {vit.accuracy():.0%} after")

# %% [markdown]
# On the simulated chip the time of such a small network is dominated by launches, as in lesson 9: eager mode pays for
# each operator, a graph pays once. Fusion into larger kernels saves more.

# %%
for pipeline in ("none", "default", "graph_kernel"):
    report = ms.simulate(vit.train_step.graph(images, labels, pipeline=pipeline))
    times = f"eager {report.eager_us:,.0f} us, graph {report.graph_us:,.0f} us"
    print(f"{pipeline:12} {len(report.rows):4} tasks, {times}")

# %% [markdown]
# ## Exercise (about 3 lines)
#
# The network cuts patches with a convolution. Do it without one: from images [n, 1, 8, 8] to tokens [n, 16, 4], where
# token 0 holds the pixels (0,0), (0,1), (1,0), (1,1), token 1 the patch to the right of it, and so on, row by row.
# `reshape` splits an axis in two, `transpose` reorders axes. The checker requires that pixels are only moved, with at
# most four operators.


# %% exercise
def patches(images):
    return None  # your lines


# %%
check_patches(patches, numbers(0, 3, 1, 8, 8))
