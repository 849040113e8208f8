"""Tests mirror the source: ``tests/<package>/test_<module>.py`` for each module."""
