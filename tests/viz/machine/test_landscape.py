"""The landscape of a schedule search, drawn from any object with its attributes."""

from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from viz import landscape_svg


def tuning(times, default, best):
    trials = [SimpleNamespace(point=point) for point in (default, best)]
    return SimpleNamespace(
        title="a <product>", axes=("base n", "base m"), landscape=times, default=trials[0], simulated=trials[1:]
    )


TIMES = {(16, 32): 4.0, (64, 32): 2.0, (16, 128): 100.0}


@pytest.mark.parametrize(("default", "best", "frames"), [
    ((16, 32), (64, 32), 2), ((16, 32), (16, 32), 2), (None, (64, 32), 1), ((7, 7), None, 0),
])  # fmt: skip
def test_cells_have_their_ratio_and_frames_mark_two_of_them(default, best, frames):
    picture = landscape_svg(tuning(TIMES, default, best))
    root = ElementTree.fromstring(picture)
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"2.00", "1.00", "50.00"} <= set(texts) and texts[0] == "a <product>"
    rects = [rect.attrib for rect in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert len(rects) == len(TIMES) + frames == len(TIMES) + sum("stroke" in rect for rect in rects)
    assert "base m 32, base n 64: 2.00 us" in picture
    dashes = [bool(rect.get("stroke-dasharray")) for rect in rects if "stroke" in rect]
    assert dashes == sorted(dashes), "dashes of the default plan are drawn over the frame of the best one"


def test_errors_are_pictures():
    assert "cannot draw this picture: AttributeError" in landscape_svg(object())
    assert "dashed: default plan, not on the grid" in landscape_svg(tuning({}, None, None))
