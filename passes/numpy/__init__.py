"""The pipeline ``numpy``: passes for programs that numpy runs, one file each."""
