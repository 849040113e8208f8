"""What is measured, in plain Python and numpy: workloads, networks, graphs, and their gradients by hand."""
