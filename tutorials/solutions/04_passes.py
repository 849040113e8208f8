# %% hint
# Which pass makes two similar expressions identical? Which pass benefits from that?

# %% hint
# If `fuse_elementwise` runs before `fuse_matmul_bias`, it has already fused bias and relu.

# %% solution
ORDER = "canonicalize,cse,fuse_matmul_bias,fuse_elementwise"

# %% wrong: two products are left: %\d+ = .*cse
ORDER = "cse,canonicalize,fuse_matmul_bias,fuse_elementwise"

# %% wrong: two products are left: .*fused before they were equal|hides
ORDER = "fuse_matmul_bias,fuse_elementwise,canonicalize,cse"

# %% wrong: %\d+ = matmul .* is not fused
ORDER = "canonicalize,cse,fuse_elementwise,fuse_matmul_bias"

# %% wrong: uses each of the four passes once; 'dce' is not one of them
ORDER = "canonicalize,cse,dce"

# %% wrong: uses each of the four passes once; 'fuse_elementwise' is missing
ORDER = "canonicalize,cse,fuse_matmul_bias"
