"""The compute resources of this process: numpy ufuncs, BLAS, and threads."""
