"""Gradients: the tape that records operators, and the functions that play it backwards."""
