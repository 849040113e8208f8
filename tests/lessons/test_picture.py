import sys
from pathlib import Path
from types import SimpleNamespace

from minigraph import Tensor, trace
from minigraph.lessons import picture

SHOWN = []


def notebook(running):
    """A stand-in for IPython, in a notebook or not."""
    display = SimpleNamespace(SVG=lambda text: text, display=SHOWN.append)
    return SimpleNamespace(display=display, get_ipython=lambda: object() if running else None)


def test_pictures_are_shown_in_a_notebook(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "IPython", notebook(True))
    monkeypatch.setattr(picture, "folder", lambda: tmp_path)
    picture.show("<svg/>", "any")
    assert SHOWN == ["<svg/>"]
    assert not list(tmp_path.iterdir())


def test_elsewhere_they_are_written_and_the_path_is_printed(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "IPython", notebook(False))  # installed, not running
    monkeypatch.setattr(picture, "folder", lambda: tmp_path / "new")
    picture.show(trace(lambda x: x + x, Tensor(1.0)), "sum")
    file = Path(capsys.readouterr().out.removeprefix("picture: ").strip())
    assert file == tmp_path / "new" / "sum.svg"
    assert "add" in file.read_text()


def test_each_user_has_a_temporary_folder(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    folders = []
    for user in (1, 2):
        monkeypatch.setattr(picture.os, "getuid", lambda user=user: user, raising=False)
        folders.append(picture.folder())
    assert folders == [tmp_path / "minigraph-lessons-1", tmp_path / "minigraph-lessons-2"]
    monkeypatch.delattr(picture.os, "getuid")  # as on Windows
    assert picture.folder() == tmp_path / "minigraph-lessons"
