"""Elementwise steps and reductions joined into loops, which a compiler of loops makes kernels of."""
