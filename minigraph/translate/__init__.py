"""A function's Python source, translated so that its ``if``, ``while`` and ``for`` may ask tensors."""
