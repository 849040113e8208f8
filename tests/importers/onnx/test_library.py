import pytest

from minigraph.core.errors import UsageError
from minigraph.core.lazy import resolve
from minigraph.importers.onnx import library

pytest.importorskip("onnx")


def test_the_package_and_its_schemas():
    assert library.onnx_library() is resolve("onnx")
    assert library.schema_of("Softmax", 12, "").since_version == 11 and library.schema_of("Softmacks", 12, "") is None


def test_a_missing_package_is_an_error_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setattr(library, "resolve", lambda name: resolve("minigraph.no_such_module"))
    library.onnx_library.cache_clear()
    try:
        with pytest.raises(UsageError, match=r"pip install 'minigraph\[onnx\]'"):
            library.onnx_library()
    finally:
        library.onnx_library.cache_clear()
