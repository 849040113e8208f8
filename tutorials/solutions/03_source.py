# ruff: noqa: F811, F821 - each cell takes the place of the lesson's exercise, and uses what the lesson imports

# %% hint
# Write it as in plain Python: a `while` loop with one line in its body. `@jit` does the rest.

# %% hint
# Both variables change at the same time. In Python, use one assignment: `a, b = ..., ...`.

# %% solution
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


# %% wrong: the loop condition has to use the tensors themselves
def gcd(a, b):
    a, b = int(a), int(b)
    while b:
        a, b = b, a % b
    return Tensor(a)


# %% wrong: gcd\(12, 18\) is 6, not 18.*use one assignment
def gcd(a, b):
    while b != 0:
        a = b
        b = a % b
    return a


# %% wrong: gcd\(12, 18\) is 6, not 0.*when the loop ends
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return b


# %% wrong: gcd\(12, 18\) is 6, not 0: the loop was unrolled a fixed number of times.*%\d+ = floor_mod
def gcd(a, b):
    for _ in range(10):
        a, b = b, a % b
    return a


# %% wrong: write it as a while
def gcd(a, b):
    return a if b == 0 else gcd(b, a % b)
