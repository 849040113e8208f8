"""Running graphs: interpreted through the door, or compiled to straight-line programs."""
