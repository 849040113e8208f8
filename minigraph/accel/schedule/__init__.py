"""What is decided about a program before its text is written: order, memory, layouts, work that is shared."""
