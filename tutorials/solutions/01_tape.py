# ruff: noqa: F811, F821 - each cell takes the place of the lesson's exercise, and uses what the lesson imports

# %% hint
# The result `out` is already tanh(x). How do you write the derivative 1 − tanh²(x) with `out`?

# %% hint
# The chain rule multiplies the incoming gradient by the derivative: `g * derivative`. A square is one product:
# `out * out`.

# %% solution
def tanh_rule(g, out, x):
    return g * (1 - out * out)


# %% wrong: %\d+ = mul \(.*\) uses x; compute the derivative
def tanh_rule(g, out, x):
    return g * (1 - x * x)


# %% wrong: %\d+ = tanh \(.*\) computes tanh a second time
def tanh_rule(g, out, x):
    return g * (1 - ops.tanh(x) ** 2)


# %% wrong: g \(%0\) is not used
def tanh_rule(g, out, x):
    return 1 - out * out
