from minigraph import Tensor, jit
from tests.viz.explore.programs import small
from viz.explore.api import record_run
from viz.explore.pack import Tables, pack_run
from viz.explore.source_excerpts import source_excerpts


def pieces(path, *lines):
    tables = Tables()
    for line in lines:
        tables.shown[str(path), line] = None
    return [(piece["first"], piece["lines"]) for piece in source_excerpts(tables)]


def test_whole_functions_and_a_few_lines_around_others(tmp_path):
    path = tmp_path / "net.py"
    path.write_text("import a\n\n\n@jit\ndef f(x):\n    return x\n\n\n\n\n\n\ny = f(1)\n")
    assert pieces(path, 6) == [(4, ["@jit", "def f(x):", "    return x"])]
    assert pieces(path, 6, 13) == [(4, ["@jit", "def f(x):", "    return x"]), (10, ["", "", "", "y = f(1)"])]


def test_what_cannot_be_read_is_left_out():
    assert pieces("missing.py", 3) == [] and pieces("bad\0name", 1) == []


def test_a_file_that_is_no_python_shows_the_lines_around_and_very_long_lines_are_cut(tmp_path):
    (tmp_path / "odd.py").write_text("def (\n" * 20)
    assert pieces(tmp_path / "odd.py", 10) == [(7, ["def ("] * 7)]
    (tmp_path / "long.py").write_text("x = '" + "y" * 100_000 + "'\n")
    assert len(pieces(tmp_path / "long.py", 1)[0][1][0]) == 400


def test_the_line_that_called_the_function_is_not_shown():
    tables = Tables()
    pack_run(record_run(jit(small).graph(Tensor([1.0]), pipeline=())), tables)
    assert {piece["file"].rpartition("/")[2] for piece in source_excerpts(tables)} == {"programs.py"}
