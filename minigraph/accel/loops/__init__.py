"""Fused loops: elementwise steps and reductions in one loop nest, compiled by numba where it is installed."""
