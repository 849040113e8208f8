# %% [markdown]
# # 11. A new chip is a file
#
# The simulator has no built-in knowledge of any chip. A chip is one text file of parameters: cores, buffer sizes, bytes
# per cycle of every data path. Each value states its source (`src`) and its confidence (`grade`), because a simulation
# is only as good as its parameters. In this lesson you define a chip that does not exist, to find out whether it
# should.

# %%
import tempfile
from pathlib import Path

import minigraph as ms
import viz
from minigraph import ops
from minigraph.core.errors import ChipError
from minigraph.lessons import check_chip, show
from minigraph.npu import chip_named, simulate
from minigraph.npu.chips.chip_file import load_chip
from minigraph.npu.reports.roofline import roofline

base = chip_named("ascend910b1")
print(f"{base.title}: {base.cores.aic} cube cores, {base.cores.aiv} vector cores, {base.cores.freq_mhz} MHz")

# %% [markdown]
# Run two operators on it: a matrix product, and a ReLU on a large tensor. What limits each of them?

# %%
a, large = ops.zeros((4096, 4096), ms.float16), ops.zeros((8192, 8192), ms.float32)


def program(a, large):
    return a @ a, ops.relu(large)


report = simulate(program, a, large)
for row in report.rows:
    print(f"{row.name:12} {row.us:7.1f} us, {row.cost.verdict}")

# %% [markdown]
# The *roofline* shows it. The x axis is operations per byte, the y axis operations per second. The slanted line is the
# memory bandwidth, the flat lines are the peaks of the compute units. A task under the slanted line is memory-bound: a
# faster unit would not help it.

# %%
show(viz.roofline_svg(roofline(report)), "11_chip")

# %% [markdown]
# A variant names its base chip and the parameters that differ. Values without a source are rejected, and so are
# impossible values:


# %%
def variant(lines):
    file = Path(tempfile.mkdtemp()) / "what_if.toml"
    file.write_text(f'base = "ascend910b1"\n[chip]\ntitle = "what if"\n{lines}\n')
    return load_chip(file)


for lines in ("[cube]\nm = {v = 32}", '[pool]\ngm = {v = 3.0, src = "an assumption", grade = "U"}'):
    try:
        variant(lines)
    except ChipError as error:
        print(error)

# %% [markdown]
# With a clock twice as fast, the product gets faster, and the ReLU does not:

# %%
faster = variant('[cores]\nfreq_mhz = {v = 3700, src = "what if", grade = "U"}')
for row in simulate(program, a, large, chip=faster).rows:
    print(f"{row.name:12} {row.us:7.1f} us")

# %% [markdown]
# ## Exercise (about 3 lines)
#
# Which chip would run the ReLU in at most 55 % of the time? Write the section and the parameters that differ, at most
# two, each as `{v = ..., src = "what if", grade = "U"}`. There is more than one solution; `chip.pool` and `chip.buf`
# list the parameters. (Grade U means unverified.)

# %% exercise
PARAMETERS = None  # your lines: """[section]\nname = {v = ..., src = "what if", grade = "U"}"""

# %%
check_chip(PARAMETERS, variant, large)
