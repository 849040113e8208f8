"""What everything stands on: errors, types, operator records and dispatch, settings, pytrees, locations, seams."""
