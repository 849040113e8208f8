"""ONNX models: reading them, the table of their operators, and writing them."""
