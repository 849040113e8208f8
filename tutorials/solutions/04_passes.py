# %% hint
# Which pass makes two things equal that were only nearly so? Which one profits from that?

# %% hint
# A large net catches small fish: if `fuse_elementwise` goes before `fuse_matmul_bias`, bias and relu are in it already.

# %% solution
ORDER = "canonicalize,cse,fuse_matmul_bias,fuse_elementwise"

# %% wrong: two products are left: %\d+ = .*cse
ORDER = "cse,canonicalize,fuse_matmul_bias,fuse_elementwise"

# %% wrong: two products are left: .*fused before they were equal|hides
ORDER = "fuse_matmul_bias,fuse_elementwise,canonicalize,cse"

# %% wrong: %\d+ = matmul .* stands alone
ORDER = "canonicalize,cse,fuse_elementwise,fuse_matmul_bias"

# %% wrong: uses each of the four passes once; 'dce' is none of them
ORDER = "canonicalize,cse,dce"

# %% wrong: uses each of the four passes once; 'fuse_elementwise' is missing
ORDER = "canonicalize,cse,fuse_matmul_bias"
