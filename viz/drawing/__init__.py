"""Graphs as pictures: what is shown, where it stands, DOT and SVG of it, and what a pass changed."""
