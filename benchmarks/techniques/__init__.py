"""Measures each technique of the accelerator: programs with it and without it, in alternation."""
