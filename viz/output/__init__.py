"""Pictures as bytes and files: SVG, PNG, PDF, GIF."""
