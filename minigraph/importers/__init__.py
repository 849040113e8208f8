"""Models from other frameworks: one layer for all formats (``model``, ``network``), one table and reader each."""
