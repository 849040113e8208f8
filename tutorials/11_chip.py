# %% [markdown]
# # 11. A new chip is a file
#
# The simulator knows no chip by name. A chip is one text file of figures: cores, buffer sizes, bytes per cycle of every
# path. Each figure says where it was read (`src`) and how sure that is (`grade`), because a simulation is worth what
# its figures are worth. In this lesson you build a chip that does not exist, to find out whether it should.

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
# Two operators on it: a product, and a ReLU of a large tensor. What limits each of them?

# %%
a, large = ops.zeros((4096, 4096), ms.float16), ops.zeros((8192, 8192), ms.float32)


def program(a, large):
    return a @ a, ops.relu(large)


report = simulate(program, a, large)
for row in report.rows:
    print(f"{row.name:12} {row.us:7.1f} us, {row.cost.verdict}")

# %% [markdown]
# The *roofline* draws it: to the right stands how many operations are done with each byte, upwards how many are done in
# a second. The slanted line is what memory can deliver, the flat ones what the units can compute. Who stands under the
# slanted one waits for memory, whatever the units could do.

# %%
show(viz.roofline_svg(roofline(report)), "11_chip")

# %% [markdown]
# A variant names its base and what differs. What has no source is refused, and so is what no chip can have:


# %%
def variant(lines):
    file = Path(tempfile.mkdtemp()) / "what_if.toml"
    file.write_text(f'base = "ascend910b1"\n[chip]\ntitle = "what if"\n{lines}\n')
    return load_chip(file)


for lines in ("[cube]\nm = {v = 32}", '[pool]\ngm = {v = 3.0, src = "a wish", grade = "U"}'):
    try:
        variant(lines)
    except ChipError as error:
        print(error)

# %% [markdown]
# With a clock twice as fast the product gains, and the ReLU does not notice:

# %%
faster = variant('[cores]\nfreq_mhz = {v = 3700, src = "what if", grade = "U"}')
for row in simulate(program, a, large, chip=faster).rows:
    print(f"{row.name:12} {row.us:7.1f} us")

# %% [markdown]
# ## Exercise (about 3 lines)
#
# Which chip would run the ReLU in at most 55 % of the time? Write the section and the figures that differ, at most two
# of them, each as `{v = ..., src = "what if", grade = "U"}`. There is more than one answer; `chip.pool` and `chip.buf`
# show what there is. (Grade U means that nobody has published it.)

# %% exercise
FIGURES = None  # your lines: """[section]\nname = {v = ..., src = "what if", grade = "U"}"""

# %%
check_chip(FIGURES, variant, large)
