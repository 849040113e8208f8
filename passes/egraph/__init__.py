"""Equality saturation: many spellings of one program side by side, the cheapest kept."""
