# %% hint
# The ReLU stands under the slanted line: more cores, a faster clock or wider vectors do not help it.

# %% hint
# `pool.gm` is what device memory delivers, in TB/s; `pool.gm_roof` is what its pins could, and is never less.

# %% solution
FIGURES = """
[pool]
gm = {v = 3.0, src = "what if", grade = "U"}
gm_roof = {v = 3.6, src = "what if", grade = "U"}
"""

# %% wrong: cores.aiv .* still waits for memory
FIGURES = """
[cores]
aiv = {v = 96, src = "what if", grade = "U"}
"""

# %% wrong: cores.freq_mhz .* still waits for memory
FIGURES = """
[cores]
freq_mhz = {v = 3700, src = "what if", grade = "U"}
"""

# %% wrong: pool.gm is 3, more than pool.gm_roof
FIGURES = """
[pool]
gm = {v = 3.0, src = "what if", grade = "U"}
"""

# %% wrong: every figure names its value, source and grade
FIGURES = """
[pool]
gm = {v = 3.0}
"""

# %% wrong: pool.gm of 2.0, .* is on the right way
FIGURES = """
[pool]
gm = {v = 2.0, src = "what if", grade = "U"}
gm_roof = {v = 2.0, src = "what if", grade = "U"}
"""
