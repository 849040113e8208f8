"""Graph capture: the tracer, which turns Python functions into graphs, and the guards of the state that it depended on.
"""
