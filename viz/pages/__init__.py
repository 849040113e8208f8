"""Pages to read: one self-contained HTML file, and the blocks it is made of."""
