# ruff: noqa: F811, F821 - each cell takes the place of the lesson's exercise, and uses what the lesson imports

# %% hint
# The mean of the squares is `(x * x).mean(-1, keep_dims=True)`: the product is fused into the reduction.

# %% hint
# Subtract `mean * mean`, which is small: one number per row.

# %% solution
def standardize(x):
    mean = x.mean(-1, keep_dims=True)
    variance = (x * x).mean(-1, keep_dims=True) - mean * mean
    return (x - mean) / ops.sqrt(variance + 1e-5)


# %% wrong: %\d+ = .* the variance still depends on the mean
def standardize(x):
    mean = x.mean(-1, keep_dims=True)
    variance = ((x - mean) ** 2).mean(-1, keep_dims=True)
    return (x - mean) / ops.sqrt(variance + 1e-5)


# %% wrong: results differ .* square of the mean
def standardize(x):
    mean = x.mean(-1, keep_dims=True)
    variance = (x * x).mean(-1, keep_dims=True)
    return (x - mean) / ops.sqrt(variance + 1e-5)


# %% wrong: results differ from the textbook
def standardize(x):
    mean = x.mean(-1, keep_dims=True)
    variance = (x * x).mean(-1, keep_dims=True) - mean
    return (x - mean) / ops.sqrt(variance + 1e-5)
