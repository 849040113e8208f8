"""The output of ``save_graphs``: every stage in MindSpore's IR syntax, diffs, and an index page."""
