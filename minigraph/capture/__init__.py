"""Graph capture: the tracer, which turns Python functions into graphs, and guards of the state that it read."""
