"""Reverse-mode automatic differentiation: the tape, and ``grad`` and its relatives."""
