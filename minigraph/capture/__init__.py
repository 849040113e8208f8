"""Graph capture: the tracer, which turns Python functions into graphs, and the guards of what it depended on."""
