"""From Python functions to graphs: the tracer."""
