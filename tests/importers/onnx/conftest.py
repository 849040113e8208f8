"""The tests of ONNX files need the extra ``onnx``."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("onnx") else ["*.py"]
