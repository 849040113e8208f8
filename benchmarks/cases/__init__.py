"""The measured cases: one module per group of tables."""
