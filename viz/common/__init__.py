"""Shared by all pictures and pages: styles, SVG elements, labels, animation, Graphviz, atomic file writes."""
