"""minigraph beside MindSpore on a generated grid of small programs: what agrees, and why the rest differs."""
