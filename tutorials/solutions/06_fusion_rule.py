# ruff: noqa: F821 - each cell takes the place of the lesson's exercise, and uses what the lesson imports

# %% hint
# The pattern is the program itself: write the three operators as a function of `q`, `k` and `s`.

# %% hint
# The arguments of the pattern stay outside the fused node; product, scaling and softmax are inside.

# %% solution
SCORES = fuse("Scores", lambda q, k, s: ops.softmax(q @ k * s))

# %% wrong: %\d+ = softmax axis 1 \(.*\) is still outside
SCORES = fuse("Scores", lambda q, k, s: q @ k * s)

# %% wrong: matches nothing with scale 0.125 and q of shape \[256, 64\]: %\d+ = matmul
SCORES = fuse("Scores", lambda q, k, s: ops.softmax(q @ (k * s)))

# %% wrong: %\d+ = matmul \(.*\) is still outside
SCORES = fuse("Scores", lambda p, s: ops.softmax(p * s))

# %% wrong: matches nothing with scale 0.3
SCORES = fuse("Scores", lambda q, k: ops.softmax(q @ k * 0.125))
