"""Tests mirror the source: ``tests/<room>/test_<module>.py`` for each module."""
