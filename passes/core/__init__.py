"""Passes and pipelines: the pass registry, pass ordering, verification between passes, and statistics."""
