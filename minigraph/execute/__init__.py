"""Execution of graphs: interpreted node by node, or compiled to straight-line programs."""
