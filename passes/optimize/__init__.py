"""Optimization passes, one file each, which says what the pass does and whether it is bit-exact."""
