"""What is printed during tracing is kept until tracing has succeeded."""

import io

from minigraph.capture.prints import record_prints


def test_prints_are_kept_with_their_file_and_line(capsys):
    calls, file = [], io.StringIO()
    with record_prints(calls):
        print("a", 1, sep="-")
        print("b", file=file)
    assert [(call.text, call.file) for call in calls] == [("a-1\n", None), ("b\n", file)]
    assert all(call.loc.file == __file__ for call in calls)
    assert capsys.readouterr().out == file.getvalue() == ""
