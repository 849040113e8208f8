import pytest

from minigraph.importers.onnx.table import TABLE

onnx = pytest.importorskip("onnx")


def test_rows_are_of_operators_that_onnx_has_and_take_its_required_operands():
    for name in TABLE.names:
        schema = onnx.defs.get_schema(name)
        for since in TABLE.versions(name):
            row = TABLE.find(name, max(since, 7))
            assert row is not None and row.required_operands <= schema.max_input, name


def test_rows_begin_at_versions_in_which_onnx_changed_the_operator():
    versions = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        versions.setdefault(schema.name, set()).add(schema.since_version)
    wrong = [(n, s) for n in TABLE.names for s in TABLE.versions(n) if s and s not in versions[n]]
    assert wrong == []
