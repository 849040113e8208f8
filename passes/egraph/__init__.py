"""Equality saturation: an e-graph of equivalent programs, and extraction of the cheapest."""
