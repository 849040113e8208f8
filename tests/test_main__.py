"""``python -m minigraph`` is the command."""

import runpy
import sys

import pytest

import minigraph.__main__
import minigraph.cli


def exit_code(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    """The exit code of ``python -m minigraph`` with these arguments."""
    monkeypatch.setattr(sys, "argv", ["minigraph", *arguments])
    monkeypatch.delitem(sys.modules, "minigraph.__main__", raising=False)
    with pytest.raises(SystemExit) as left:
        runpy.run_module("minigraph", run_name="__main__")
    return left.value.code


def test_importing_it_runs_nothing_its_exit_code_is_the_commands_and_a_mistake_one_line(monkeypatch, capsys) -> None:
    monkeypatch.setattr(minigraph.cli, "main", lambda: 7)
    assert minigraph.__main__.run() == 7
    monkeypatch.undo()
    assert exit_code(monkeypatch, "passes") == 0
    assert "dce" in capsys.readouterr().out
    assert exit_code(monkeypatch, "explain", "nothere.py:f") == 2
    error = capsys.readouterr().err
    assert "nothere.py" in error and error.count("\n") == 1


def test_control_c_during_its_imports_is_one_line(monkeypatch, capsys) -> None:
    class Interrupted:
        def find_spec(self, name, path=None, target=None):
            if name == "minigraph.cli":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "minigraph.cli")
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    assert (minigraph.__main__.run(), capsys.readouterr().err) == (130, "minigraph: interrupted\n")
