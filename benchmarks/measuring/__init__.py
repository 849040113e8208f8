"""Timing, counting and goals: fair figures for any contenders."""
