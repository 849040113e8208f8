"""What this process computes with: numpy's functions, BLAS, and threads."""
