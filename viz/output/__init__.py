"""Output formats of pictures: SVG, PNG, PDF, GIF."""
