from minigraph import Tensor, jit
from tests.viz.explore.programs import small
from viz.explore.api import record_run
from viz.explore.pack import Tables, pack_run
from viz.explore.source_excerpts import source_excerpts


def excerpts(path, *lines):
    tables = Tables()
    for line in lines:
        tables.shown[str(path), line] = None
    return [(excerpt["first"], excerpt["lines"]) for excerpt in source_excerpts(tables)]


def test_excerpts_are_whole_functions_or_lines_with_context(tmp_path):
    path = tmp_path / "net.py"
    path.write_text("import a\n\n\n@jit\ndef f(x):\n    return x\n\n\n\n\n\n\ny = f(1)\n")
    assert excerpts(path, 6) == [(4, ["@jit", "def f(x):", "    return x"])]
    assert excerpts(path, 6, 13) == [(4, ["@jit", "def f(x):", "    return x"]), (10, ["", "", "", "y = f(1)"])]


def test_unreadable_files_are_omitted():
    assert excerpts("missing.py", 3) == [] and excerpts("bad\0name", 1) == []


def test_invalid_python_is_shown_by_lines_and_very_long_lines_are_truncated(tmp_path):
    (tmp_path / "odd.py").write_text("def (\n" * 20)
    assert excerpts(tmp_path / "odd.py", 10) == [(7, ["def ("] * 7)]
    (tmp_path / "long.py").write_text("x = '" + "y" * 100_000 + "'\n")
    assert len(excerpts(tmp_path / "long.py", 1)[0][1][0]) == 400


def test_the_line_that_called_the_function_is_not_shown():
    tables = Tables()
    pack_run(record_run(jit(small).graph(Tensor([1.0]), pipeline=())), tables)
    assert {excerpt["file"].rpartition("/")[2] for excerpt in source_excerpts(tables)} == {"programs.py"}
