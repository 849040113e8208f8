# ruff: noqa: F821 - each cell takes the place of the lesson's exercise, and uses what the lesson imports

# %% hint
# The pattern is the line of `RMSNorm.construct`, as a function of `x`, `w` and `e`.

# %% hint
# `e` is an argument, too: a pattern with the number 1e-5 matches only that number.

# %% solution
NORM = fuse("RMSNorm", lambda x, w, e: x * ops.rsqrt(ops.mean(x * x, -1, True) + e) * w)

# %% wrong: %\d+ = mul .* is still outside
NORM = fuse("RMSNorm", lambda x, e: x * ops.rsqrt(ops.mean(x * x, -1, True) + e))

# %% wrong: fires 0 times, not once for each of the 4 norms
NORM = fuse("RMSNorm", lambda x, w, e: x / ops.sqrt(ops.mean(x * x, -1, True) + e) * w)

# %% wrong: fires 0 times
NORM = fuse("RMSNorm", lambda x, w: x * ops.rsqrt(ops.mean(x * x, -1, True) + 1e-6) * w)
