import configparser
import re

from minigraph._version import __version__
from tests.structure import ROOT


def test_the_package_takes_its_version_from_here():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    assert setup["metadata"]["version"] == "attr: minigraph._version.__version__"


def test_the_version_is_the_last_release_or_the_next_one_that_the_changelog_has_begun():
    numbers, development = re.fullmatch(r"(\d+\.\d+\.\d+)(\.dev0)?", __version__).groups()
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    latest = re.search(r"^## \[([\d.]+)\] - \d{4}-\d\d-\d\d$", text, re.MULTILINE)
    unreleased = text[text.index("## [Unreleased]") : latest.start()].split("\n", 1)[1].strip()
    if development:
        assert unreleased and [*map(int, numbers.split("."))] > [*map(int, latest[1].split("."))]
    else:
        assert not unreleased and numbers == latest[1]
