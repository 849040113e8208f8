"""The index: the table that MindSpore reads."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from minigraph.core.errors import UsageError
from minigraph.mindrecord.index_file import POSITIONS, IndexFile
from minigraph.mindrecord.schema import Schema
from tests.inspection import run_program

SCHEMA = Schema({"x": {"type": "int32"}, "s": {"type": "string"}, "f": {"type": "float32"}, "b": {"type": "bytes"}})


def test_rows_of_the_index(tmp_path: Path) -> None:
    index = IndexFile(tmp_path / "a.db", "rows", SCHEMA, ["s", "f", "x"])
    row = {"x": np.int32(3), "s": "it's", "f": 0.5}
    index.add((range(8 * i, 8 * i + 8), row) for i in range(2))
    index.move_group(12, 7, 9)
    index.close()
    with closing(sqlite3.connect(tmp_path / "a.db")) as database:
        cursor = database.execute("SELECT * FROM INDEXES")
        assert [item[0] for item in cursor.description] == [*POSITIONS, "INC_0", "s_0", "INC_1", "f_0", "INC_2", "x_0"]
        values = [0, "it's", 0, 0.5, 0, 3]
        assert list(map(list, cursor)) == [[*range(8), *values], [8, 7, 1, 2, 12, 13, 14, 15, *values]]
        assert list(database.execute("SELECT * FROM SHARD_NAME")) == [("rows",)]


def test_an_index_that_is_abandoned_is_empty(tmp_path: Path) -> None:
    index = IndexFile(tmp_path / "a.db", "rows", SCHEMA, [])
    index.close(keep=False)
    index.close(keep=False)
    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]


def test_without_sqlite3_there_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    with pytest.raises(UsageError, match=r"^mindrecord: writing needs .* sqlite3, which is missing; install it$"):
        IndexFile(tmp_path / "a.db", "rows", SCHEMA, [])


ON_FULL_DISK = """
import errno, resource, signal, sys
from pathlib import Path
from minigraph.mindrecord.index_file import IndexFile
from minigraph.mindrecord.schema import Schema

index = IndexFile(Path(sys.argv[1]), "rows", Schema({"x": {"type": "int32"}}), ["x"])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
try:
    index.close()
except OSError as error:
    print(type(error).__name__, error.errno in (errno.ENOSPC, errno.EIO))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files here")
def test_a_full_disk_is_an_error_as_of_other_files(tmp_path: Path) -> None:
    assert run_program(ON_FULL_DISK, str(tmp_path / "a.db")) == "OSError True"
