"""What everything stands on: places in the user's program, nested values, work and effects, names that are not here."""
