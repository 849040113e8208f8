"""Checking rules and passes: counterexamples to a rule, what a pass changed, which rewrite did it."""
