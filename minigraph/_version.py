"""The one place that holds the version; ``setup.cfg`` reads it without importing the package."""

__version__ = "0.3.0.dev0"
