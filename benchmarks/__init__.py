"""Benchmarks of minigraph, numpy and other frameworks: ratios of interleaved runs."""
