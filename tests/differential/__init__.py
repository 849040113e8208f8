"""Differential test against MindSpore on a generated grid of small programs: agreement, and reasons for the rest."""
