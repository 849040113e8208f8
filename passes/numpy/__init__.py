"""Lowering passes for the numpy backend (the pipeline ``numpy``), one file each."""
