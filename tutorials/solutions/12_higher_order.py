# ruff: noqa: F811, F821 - each cell takes the place of the lesson's exercise, and uses what the lesson imports

# %% hint
# `(ms.grad(f)(x) * v).sum()` is a number that depends on x. What is its gradient?

# %% hint
# `ms.grad` takes a function: write that number as a `lambda x: ...`, and call its gradient at x.

# %% solution
def hvp(f, x, v):
    return ms.grad(lambda x: (ms.grad(f)(x) * v).sum())(x)


# %% wrong: %\d+ = mul .* is the gradient times v: differentiate once more
def hvp(f, x, v):
    return ms.grad(f)(x) * v


# %% wrong: multiplies sums of whole rows|after the sum over a row
def hvp(f, x, v):
    return ms.grad(lambda x: ms.grad(f)(x).sum())(x) * v


# %% wrong: right values, but \d+ operators for 60 inputs, \d+ for 6
def hvp(f, x, v):
    rows = [ms.grad(lambda x, i=i: ms.grad(f)(x)[i])(x) for i in range(x.shape[0])]
    return ops.stack([(row * v).sum() for row in rows])
