"""Passes in a row: their table, their text, their order, and the record of what each did."""
