"""Optimization passes, one per file; each docstring states what the pass does and whether it is bit-exact."""
