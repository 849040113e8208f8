"""What every picture and page is made of: styles, SVG elements, text, motion, Graphviz, files written whole."""
