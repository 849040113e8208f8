# %% hint
# `print` is Python. When does Python run the function: eagerly, and under `@jit`?

# %% hint
# A graph fits one combination of shapes. Which of the three calls bring a new one?
# The loop is gone from the graph, unrolled: count the operators of three rounds.

# %% solution
answers = {
    "eager_prints": 3,
    "jit_prints": 2,
    "graph_operators": 6,
    "compiles": 2,
}

# %% wrong: jit_prints: you said 3, it was 2: Python runs only while
answers = {"eager_prints": 3, "jit_prints": 3, "graph_operators": 6, "compiles": 2}

# %% wrong: unrolled into %2 = mul \(.*\), %4 = add
answers = {"eager_prints": 3, "jit_prints": 2, "graph_operators": 2, "compiles": 2}

# %% wrong: compiles: you said 1, it was 2
answers = {"eager_prints": 3, "jit_prints": 2, "graph_operators": 6, "compiles": 1}
