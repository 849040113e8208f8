"""What ``save_graphs`` writes: every stage in MindSpore's syntax, what changed, and a page over all of it."""
