# ruff: noqa: F811 - each cell takes the place of the lesson's exercise, and uses what the lesson imports

# %% hint
# Compute one product with all columns, then take three slices of the result: `[:, :64]` and so on.

# %% hint
# Slices of `w` would mean three products again; slices of the result are almost free.

# %% solution
def fast(x, w):
    all_three = x @ w
    return all_three[:, :64], all_three[:, 64:128], all_three[:, 128:]


# %% wrong: but 3 products: %\d+ = matmul
def fast(x, w):
    return x @ w[:, :64], x @ w[:, 64:128], x @ w[:, 128:]


# %% wrong: result 1, %\d+ = .*, is f32\[256,64\] but not x @ weights\[1\]
def fast(x, w):
    all_three = x @ w
    return all_three[:, :64], all_three[:, 128:], all_three[:, 64:128]
