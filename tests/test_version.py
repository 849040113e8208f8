import configparser
import re

from minigraph._version import __version__
from tests.structure import ROOT


def test_the_version_is_three_numbers_which_the_package_takes_from_here_and_the_changelog_tells_of():
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    assert setup["metadata"]["version"] == "attr: minigraph._version.__version__"
    releases = re.findall(r"^## \[([\d.]+)\] - \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert releases[0] == __version__
