# ruff: noqa: F811, F821 - each cell takes the place of the lesson's exercise, and uses what the lesson imports

# %% hint
# Height 8 is 4 patches of 2 rows, width 8 is 4 patches of 2 columns: `images.reshape(-1, 4, 2, 4, 2)`.

# %% hint
# A token is indexed by (patch row, patch column) and holds (row, column): bring the axes into that order with
# `transpose(0, 1, 3, 2, 4)`, then merge each pair of axes with `reshape`.

# %% solution
def patches(images):
    squares = images.reshape(-1, 4, 2, 4, 2)
    return squares.transpose(0, 1, 3, 2, 4).reshape(-1, 16, 4)


# %% wrong: token 0 holds pixels \(0, 0\), \(0, 1\), \(0, 2\), \(0, 3\).*%\d+ = reshape
def patches(images):
    return images.reshape(-1, 16, 4)


# %% wrong: token 0 holds pixels \(0, 0\), \(1, 0\), \(0, 1\), \(1, 1\)
def patches(images):
    return images.reshape(-1, 4, 2, 4, 2).transpose(0, 1, 3, 4, 2).reshape(-1, 16, 4)


# %% wrong: f32\[3,4,4,2,2\], not f32\[3,16,4\]
def patches(images):
    return images.reshape(-1, 4, 2, 4, 2).transpose(0, 1, 3, 2, 4)


# %% wrong: right pixels, but \d+ operators: %\d+ =
def patches(images):
    rows = [images[:, 0, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2].reshape(-1, 1, 4) for i in range(4) for j in range(4)]
    return ms.ops.concat(rows, 1)
