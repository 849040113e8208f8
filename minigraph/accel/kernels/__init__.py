"""Tuned kernels of operators."""
