import passes
from viz.explore.source_text import MAX_LINES, lines_of, source_at, syntax_tree

TEXT = '''import a

RULES = (
    fuse("One", lambda x: x + 1),
    fuse("Two", lambda x:
         x * 2),
)


class Home:
    @rule(where=lambda m: True)
    def double(x):
        """Twice."""
        return x + x, 2 * x
'''


def source(tmp_path, line, text=TEXT):
    path = tmp_path / f"rules{len(text)}.py"  # linecache caches file contents
    path.write_text(text)
    return source_at(str(path), line)


def test_a_call_in_a_list_and_a_whole_function(tmp_path):
    assert source(tmp_path, 4).strip() == 'fuse("One", lambda x: x + 1),'
    assert source(tmp_path, 5).splitlines() == ['fuse("Two", lambda x:', "     x * 2),"]
    assert source(tmp_path, 11).startswith("@rule(where=lambda m: True)\ndef double(x):") and "2 * x" in source(
        tmp_path, 11
    )


def test_unavailable_source_is_empty(tmp_path):
    assert source(tmp_path, 99) == source(tmp_path, 0) == source(tmp_path, 2) == ""
    assert source_at(str(tmp_path / "missing.py"), 1) == source_at("bad\0name", 1) == ""
    assert source(tmp_path, 1, "def (") == "" and syntax_tree(["def ("]) is None and lines_of("bad\0name") == []


def test_a_long_function_is_truncated(tmp_path):
    text = "def long():\n" + "    x = 1\n" * (2 * MAX_LINES)
    assert (
        source(tmp_path, 1, text).splitlines()[-1] == "..."
        and len(source(tmp_path, 1, text).splitlines()) == MAX_LINES + 1
    )


def test_the_source_of_every_rule_is_available():
    for _, rule in passes.every_rule():
        code = source_at(rule.file, int(rule.loc.rpartition(":")[2]))
        assert code and any(word in code for word in ("def ", "fuse", "lambda")), rule.loc
