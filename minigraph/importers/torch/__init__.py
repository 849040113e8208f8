"""Programs of ``torch.export``: the table of ATen operators, and the reader."""
