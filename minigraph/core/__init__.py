"""The foundation: errors, types, operator records and their dispatch, settings, pytrees, source locations, seams."""
