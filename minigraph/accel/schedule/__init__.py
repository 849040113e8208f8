"""Scheduling of accelerated programs: order, memory, layouts, tiles and threads, and the text generated from them."""
