"""Timing, counting and what is wanted: fair figures for any contenders."""
