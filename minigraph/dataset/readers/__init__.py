"""Readers of files that the user has: images, text, published corpora."""
