import csv
import json
from dataclasses import replace

import pytest

from minigraph.cli.output_folder import write_files, write_folder
from minigraph.core.errors import UsageError
from minigraph.ir.compare import equal
from minigraph.ir.text import parse


def test_every_file_can_be_read_again(story, tmp_path):
    index = write_folder(story, tmp_path / "deep" / "out")
    files = {file.name: file for file in index.parent.iterdir()}
    assert index.name in files and not [name for name in files if name.startswith(".")]
    changed = [f"{i:02d}_{r.name}" for i, r in enumerate(story.records, 1) if r.changed]
    assert {f"{stem}{end}" for stem in ["00_captured", *changed] for end in (".ir", ".svg")} <= set(files)
    assert equal(parse(files["00_captured.ir"].read_text()), story.captured)
    assert "traceEvents" in json.loads(files["trace.json"].read_text())
    rows = list(csv.DictReader(files["op_summary.csv"].read_text().splitlines()))
    assert len(rows) == len(story.after.rows) and rows[0]["Op Name"]
    assert all(file.read_text().startswith("<svg") for name, file in files.items() if name.endswith(".svg"))
    assert [name for name, file in files.items() if "cannot draw this picture" in file.read_text()] == []


def test_writing_again_replaces_files_and_keeps_others_but_refuses_a_file_as_folder(story, tmp_path):
    folder = tmp_path / "out"
    write_folder(story, folder)
    (folder / "mine.txt").write_text("mine")
    write_folder(story, folder)
    assert (folder / "mine.txt").read_text() == "mine"
    with pytest.raises(UsageError, match="is a file, not a folder"):
        write_folder(story, folder / "mine.txt")


def test_files_of_passes_that_a_shorter_pipeline_lacks_are_removed(story, tmp_path):
    index = write_folder(story, tmp_path)
    (tmp_path / "01_mine.svg").write_text("mine")
    old = {f"{i:02d}_{r.name}.svg" for i, r in enumerate(story.records, 1) if r.changed}
    assert old and old <= {file.name for file in tmp_path.iterdir()}
    write_folder(replace(story, records=[]), tmp_path)
    assert not old & {file.name for file in tmp_path.iterdir()}
    assert index.exists() and (tmp_path / "01_mine.svg").exists() and (tmp_path / "00_captured.svg").exists()


def test_an_error_leaves_nothing_behind(story, tmp_path, monkeypatch):
    monkeypatch.setattr("minigraph.cli.output_folder.chrome_trace", lambda report: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_folder(story, tmp_path / "out")
    assert not list(tmp_path.glob("*out*"))


def test_a_killed_process_leaves_a_hidden_part(tmp_path):
    def files():
        yield "a.csv", "1"
        hidden.extend(path.name for path in tmp_path.iterdir())

    hidden = []
    assert write_files(tmp_path / "out", files()) == ["a.csv"]
    (name,) = hidden
    assert name.startswith(".out-") and name.endswith(".part")


def test_lone_surrogates_are_escaped(tmp_path):
    """File names that are not UTF-8 have them."""
    write_files(tmp_path / "out", [("a.txt", "n\udcff")])
    assert (tmp_path / "out" / "a.txt").read_text() == "n\\udcff"
