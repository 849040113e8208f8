"""Running graphs: interpreted, operator by operator, or compiled to straight-line programs."""
