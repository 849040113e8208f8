"""What rules look for: patterns traced from plain functions, compiled to matchers."""
