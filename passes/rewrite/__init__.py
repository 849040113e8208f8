"""Rewrite rules: patterns traced from functions, matchers generated from patterns, and drivers that apply rules."""
