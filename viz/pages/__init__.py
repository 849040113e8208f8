"""Report pages: self-contained HTML files, built from blocks."""
