"""Source translation: Python ``if``, ``while`` and ``for`` on tensors become control-flow nodes of the graph."""
