"""minigraph against plain numpy and against its peers: ratios of one interleaved run."""
