"""Timing, counting and goals: fair measurements of any contenders."""
