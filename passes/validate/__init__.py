"""Validation: a rule checker that finds counterexamples, and translation validation of passes."""
