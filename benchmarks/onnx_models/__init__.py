"""How much of ONNX minigraph supports: the official node tests."""
