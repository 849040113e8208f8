"""Graph drawings: scenes, layout, DOT and SVG output, differences between graphs."""
