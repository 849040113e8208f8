"""Rules: patterns traced from plain functions, compiled to matchers, and the rewrites that their matches cause."""
