"""The measured work in plain Python and numpy: workloads, networks, graphs, and their hand-written gradients."""
