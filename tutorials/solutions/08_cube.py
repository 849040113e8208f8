# ruff: noqa: F821 - each cell takes the place of the lesson's exercise, and uses what the lesson imports

# %% hint
# Use two buffers. Then ask: which of L0A, L0B and L0C is full first as the tile grows?

# %% hint
# L0C has 131,072 bytes, which is 32,768 results of four bytes: for example 128 by 256.

# %% solution
SCHEDULE = Schedule(base=(128, 256, 64), buffers=2)

# %% wrong: tiles are small: .*MTE1
SCHEDULE = Schedule(base=(64, 64, 64), buffers=2)

# %% wrong: one buffer, .* waits for its consumer
SCHEDULE = Schedule(base=(128, 128, 64), buffers=1)

# %% wrong: needs 262144 bytes of L0C, which has 131072
SCHEDULE = Schedule(base=(256, 256, 64), buffers=2)

# %% wrong: leaves the cube idle
SCHEDULE = Schedule(base=(8, 256, 64), buffers=2)

# %% wrong: without a base the simulator chooses
SCHEDULE = Schedule(buffers=2)
