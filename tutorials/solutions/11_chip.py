# %% hint
# The ReLU is memory-bound (under the slanted line): more cores, a faster clock or wider vectors do not help.

# %% hint
# `pool.gm` is the achieved bandwidth of device memory in TB/s; `pool.gm_roof` is its peak bandwidth, never less.

# %% solution
PARAMETERS = """
[pool]
gm = {v = 3.0, src = "what if", grade = "U"}
gm_roof = {v = 3.6, src = "what if", grade = "U"}
"""

# %% wrong: cores.aiv .* still memory-bound
PARAMETERS = """
[cores]
aiv = {v = 96, src = "what if", grade = "U"}
"""

# %% wrong: cores.freq_mhz .* still memory-bound
PARAMETERS = """
[cores]
freq_mhz = {v = 3700, src = "what if", grade = "U"}
"""

# %% wrong: pool.gm is 3, more than pool.gm_roof
PARAMETERS = """
[pool]
gm = {v = 3.0, src = "what if", grade = "U"}
"""

# %% wrong: every parameter names its value, source and grade
PARAMETERS = """
[pool]
gm = {v = 3.0}
"""

# %% wrong: pool.gm = 2.0, .* right direction
PARAMETERS = """
[pool]
gm = {v = 2.0, src = "what if", grade = "U"}
gm_roof = {v = 2.0, src = "what if", grade = "U"}
"""
