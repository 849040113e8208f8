# ruff: noqa: F821 - each cell takes the place of the lesson's exercise, and uses what the lesson imports

# %% hint
# Blocks of 128 × 256 give 10 × 5 = 50 tiles: three on some cores, two on others. Smaller tiles can be spread better.

# %% hint
# 1280 is 8 × 160. Then k is at most 65,536 bytes of L0A, for two blocks of 160 × k numbers of two bytes: 96, as a
# multiple of 16.

# %% solution
KERNEL = Schedule(base=(160, 160, 96))

# %% wrong: 50 tiles on
KERNEL = Schedule(base=(128, 256, 64))

# %% wrong: needs 262144 bytes of L0C, which has 131072
KERNEL = Schedule(base=(256, 256, 64))

# %% wrong: MTE1 is busy|MTE2 is busy
KERNEL = Schedule(base=(32, 32, 256))

# %% wrong: of the default plan's
KERNEL = Schedule(base=(160, 160, 96), buffers=1, l0_buffers=1)

# %% wrong: cores is for vector work
KERNEL = Schedule(cores=24)
