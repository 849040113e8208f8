import csv

import pytest

from minigraph.core.errors import UsageError
from minigraph.npu.sweeps.axes import axis_with
from minigraph.npu.sweeps.space import Point, space_of
from minigraph.npu.sweeps.table import Row, Table
from minigraph.npu.sweeps.work_item import Metrics
from tests.tables import cases

SETTINGS = {"engine": "event", "host": "some-host"}
METRICS = Metrics(2, 29357, 15.868648648648648, 1.1, 38.9, 139.8, 0.0, 6815832.0, 363.7248, 1, "what-if")
VALID_ROW = Row(METRICS, "f77d189b881007de")
FAILED_ROW = Row(Metrics(error='KeyError: "no, such" key'), "")
POINTS = [Point("a,b.py:f", pipeline, "ascend910b1", (value,)) for pipeline in ("cse,dce", "") for value in (0.5, 150)]


ROWS = list(zip(POINTS, [VALID_ROW, FAILED_ROW, VALID_ROW, FAILED_ROW], strict=True))


def space(**changed):
    settings = {"models": ["a,b.py:f"], "pipelines": ["cse,dce", ""], "chips": ["ascend910b1"],
            "axes": [axis_with("pool.gm", (0.5, 150))]}  # fmt: skip
    return space_of(**settings | changed)


def write_table(path, rows, finish=False):
    with Table(space(), SETTINGS, path) as table:
        for point, row in rows:
            table.add(point, row)
        if finish:
            table.finish()
    return table


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "sweep.csv"


def test_a_row_is_on_disk_as_soon_as_it_is_known_and_any_reader_of_csv_reads_it(path):
    with Table(space(), SETTINGS, path) as table:
        for lines, (point, row) in enumerate(ROWS, 2):
            table.add(point, row)
            assert len(path.read_text().splitlines()) == lines
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["model"] for row in rows] == ["a,b.py:f"] * 4
    assert [row["pool.gm"] for row in rows] == ["0.5", "150", "0.5", "150"]
    assert (float(rows[0]["us"]), rows[0]["engine"], rows[1]["us"]) == (VALID_ROW.metrics.us, "event", "")
    assert rows[1]["error"] == FAILED_ROW.metrics.error
    again = Table(space(), SETTINGS, path)
    assert again.rows == table.rows and again.records() == table.records()
    assert again.failures == [(POINTS[1], FAILED_ROW.metrics.error), (POINTS[3], FAILED_ROW.metrics.error)]
    assert repr(again) == "<sweep: 4 of 4 points, 2 with an error, 2 what-if>"


@pytest.mark.parametrize(
    "model", ["a\rb.py:f", "a\nb.py:f", "a\r\nb.py:f", 'a"b\r.py:f', "a\udc80.py:f", "\r", "a\x00"]
)
def test_a_name_of_any_file_can_be_read_again(path, model):
    for names in ({"models": [model]}, {"pipelines": [model]}):
        path.unlink(missing_ok=True)
        with Table(space(**names), SETTINGS, path) as table:
            for point in space(**names):
                table.add(point, VALID_ROW)
            table.finish()
        assert Table(space(**names), SETTINGS, path).rows == table.rows != {}


def test_a_quote_that_was_removed_from_a_row_with_line_feeds_is_noticed(path):
    names = {"models": ["a\nb"]}
    with Table(space(**names), SETTINGS, path) as table:
        for point in space(**names):
            table.add(point, VALID_ROW)
    content = path.read_bytes()
    for at in [i for i, byte in enumerate(content) if byte == ord('"')][:2]:
        path.write_bytes(content[:at] + content[at + 1 :])
        with pytest.raises(UsageError, match="line 2: this is not a row of a sweep"):
            Table(space(**names), SETTINGS, path)


def test_the_complete_file_does_not_depend_on_the_order_of_rows(path, tmp_path):
    write_table(path, ROWS, finish=True)
    write_table(tmp_path / "other.csv", reversed(ROWS), finish=True)
    assert (tmp_path / "other.csv").read_bytes() == path.read_bytes()
    assert not list(tmp_path.rglob("*.part"))


def test_a_run_killed_at_any_byte_can_be_resumed(path):
    """For every prefix of the file, complete rows are kept and the partial row is truncated."""
    write_table(path, ROWS)
    content = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(content) if byte == ord("\n")]
    for size in range(len(content) + 1):
        path.write_bytes(content[:size])
        complete_lines = max(0, sum(end <= size for end in ends) - 1)
        table = Table(space(), SETTINGS, path)
        assert list(table.rows) == POINTS[:complete_lines], size
        assert path.stat().st_size == size  # reading writes nothing
        with table:
            for point, row in ROWS[complete_lines:]:
                table.add(point, row)
        assert path.read_bytes() == content


def test_a_row_changed_at_any_byte_is_refused_or_has_the_same_values(path):
    write_table(path, ROWS)
    content, rows = path.read_bytes(), Table(space(), SETTINGS, path).rows
    for position in range(content.index(b"\n") + 1, len(content), 3):
        for new in b"0", b"7", b"x", b"":
            path.write_bytes(content[:position] + new + content[position + 1 :])
            try:
                table = Table(space(), SETTINGS, path)
            except UsageError as error:
                assert "line" in str(error) and "\n" not in str(error)
            else:  # the same byte, 150 written as 0150, or a last line that is not complete
                assert table.rows.items() <= rows.items(), (position, new)


def test_a_later_row_replaces_an_error_values_may_be_written_differently_and_rows_may_be_repeated(path):
    write_table(path, [(POINTS[1], FAILED_ROW), (POINTS[1], VALID_ROW), (POINTS[1], VALID_ROW)])
    assert Table(space(), SETTINGS, path).rows == {POINTS[1]: VALID_ROW}
    path.write_text(path.read_text().replace(",150,", ",150.0,"))
    assert list(Table(space(), SETTINGS, path).rows) == [POINTS[1]]


@cases(
    ({}, {"engine": "analytic", "host": "some-host"}, "line 2: engine is 'event', this sweep's is 'analytic'"),
    ({}, {"engine": "event", "host": "other"}, "line 2: host is 'some-host', this sweep's is 'other'"),
    ({"models": ["g"]}, SETTINGS, "line 2: model 'a,b.py:f' is not in this sweep"),
    ({"pipelines": [""]}, SETTINGS, "line 2: pipeline 'cse,dce' is not in this sweep"),
    ({"chips": ["ascend310"]}, SETTINGS, "line 2: chip 'ascend910b1' is not in this sweep"),
    ({"axes": [axis_with("pool.gm", (0.5,))]}, SETTINGS, r"line 3: pool\.gm '150' is not in this sweep"),
    ({"axes": [axis_with("pool.l2", (0.5, 150))]}, SETTINGS, r"it has pool\.gm and it lacks pool\.l2"),
    ({"axes": []}, SETTINGS, r"another sweep's: it has pool\.gm"),
    ({}, {"host": "some-host", "engine": "event"}, "another sweep's: in another order"),
)
def test_a_table_of_another_sweep_raises(path, changed, settings, message):
    write_table(path, zip(POINTS, [VALID_ROW] * 4, strict=True))
    before = path.read_bytes()
    with pytest.raises(UsageError, match=f"sweep.csv.*{message}.*; choose another file"):
        Table(space(**changed), settings, path)
    assert path.read_bytes() == before


def test_a_sweep_may_grow(path):
    table = write_table(path, zip(POINTS, [VALID_ROW] * 4, strict=True))
    wider = space(chips=["ascend310", "ascend910b1"], axes=[axis_with("pool.gm", (0.1, 0.5, 150))])
    assert Table(wider, SETTINGS, path).rows == table.rows


NO_TABLE, NO_ROW = "this is not a table of a sweep", "line 3: this is not a row of a sweep"
FOREIGN = [b"name,age\nbob,3\n", b"\xff\xfe\x00", b"hello", b"\n", b'"model\n', b"\0\0\0\0\n"]
DAMAGED = [b"a", b"", b"\0" * 40, b"\xff" * 40, b'"', b"a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s", b"," * 18]


@cases(*((content, NO_TABLE) for content in FOREIGN), *((line + b"\n", NO_ROW) for line in DAMAGED))
def test_a_foreign_file_and_a_damaged_row_raise_and_are_not_modified(path, content, message):
    write_table(path, [(POINTS[0], VALID_ROW)])
    content = content if message == NO_TABLE else path.read_bytes() + content
    path.write_bytes(content)
    with pytest.raises(UsageError, match=message):
        Table(space(), SETTINGS, path)
    assert path.read_bytes() == content


def test_two_different_rows_of_a_point_raise(path):
    write_table(path, [(POINTS[0], VALID_ROW), (POINTS[0], VALID_ROW._replace(sent="0" * 16))])
    with pytest.raises(UsageError, match="line 3: another row of the same point is different"):
        Table(space(), SETTINGS, path)


def test_names_in_the_c_locale_are_those_of_others(path):
    """There the bytes of an argument that are not ASCII are surrogates."""
    for first, second in (("é", "\udcc3\udca9"), ("\udcc3\udca9", "é")):
        path.unlink(missing_ok=True)
        with Table(space(models=[first]), {**SETTINGS, "host": first}, path) as table:
            for point in space(models=[first]):
                table.add(point, VALID_ROW)
        again = Table(space(models=[second]), {**SETTINGS, "host": second}, path)
        assert list(again.rows) == list(space(models=[second]))
        assert [row["model"] for row in table.records()] == [first] * 4
    with pytest.raises(UsageError, match="given twice"):
        space(models=["é", "\udcc3\udca9"])


@pytest.mark.parametrize("where", ["", "file/sweep.csv"])
def test_a_path_that_cannot_be_written_raises_and_without_a_path_nothing_is_written(tmp_path, monkeypatch, where):
    monkeypatch.chdir(tmp_path)
    assert len(write_table(None, [(POINTS[0], VALID_ROW)], finish=True)) == 1 and not list(tmp_path.iterdir())
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="sweep: cannot use"), Table(space(), SETTINGS, tmp_path / where):
        pass


@pytest.mark.parametrize("name", ["a\nb.py:f", 'a"\n"b.py:f', "a\udcff.py:f", "a\r\nb.py:f"])
def test_a_table_of_a_file_with_any_name_is_read_again(path, name):
    points = [point._replace(model=name) for point in POINTS]
    with Table(space(models=[name]), SETTINGS, path) as table:
        for point in points:
            table.add(point, VALID_ROW)
        table.finish()
    again = Table(space(models=[name]), SETTINGS, path)
    assert list(again.rows) == list(table.rows) == points
