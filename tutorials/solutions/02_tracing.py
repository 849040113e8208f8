# %% hint
# `print` is Python. When does Python run the function: eagerly, and under `@jit`?

# %% hint
# A graph is valid for one combination of shapes. Which of the three calls have a new one?
# The loop is unrolled in the graph: count the operators of three iterations.

# %% solution
answers = {
    "eager_prints": 3,
    "jit_prints": 2,
    "graph_operators": 6,
    "compiles": 2,
}

# %% wrong: jit_prints: you predicted 3, the result is 2: Python runs the function only
answers = {"eager_prints": 3, "jit_prints": 3, "graph_operators": 6, "compiles": 2}

# %% wrong: unrolled into %2 = mul \(.*\), %4 = add
answers = {"eager_prints": 3, "jit_prints": 2, "graph_operators": 2, "compiles": 2}

# %% wrong: compiles: you predicted 1, the result is 2
answers = {"eager_prints": 3, "jit_prints": 2, "graph_operators": 6, "compiles": 1}
