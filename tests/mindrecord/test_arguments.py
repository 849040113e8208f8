"""Names of files, and numbers of threads."""

import pytest

from minigraph.mindrecord.arguments import check_file_name, check_reader
from minigraph.mindrecord.errors import ParamValueError


@pytest.mark.parametrize("name", [None, "", 3, "folder/", "a?b", "a\\b", " a", "a ", "a&b"])
def test_names_that_are_refused(name: object) -> None:
    with pytest.raises(ParamValueError):
        check_file_name(name)
    with pytest.raises(ParamValueError):
        check_reader([name], 1)


def test_names_and_threads_of_readers() -> None:
    check_file_name("some folder?/rows.mindrecord")
    check_reader(["a", "b"], 64)
    for files, threads in (([], 1), ("a", 0), ("a", None), ("a", 2.0)):
        with pytest.raises(ParamValueError):
            check_reader(files, threads)
