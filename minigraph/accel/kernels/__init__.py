"""Forwards of operators that are tuned for speed."""
