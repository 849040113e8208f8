import itertools
from xml.etree import ElementTree

import numpy as np
import pytest

from minigraph.core.op import TABLE
from tests.tables import in_one_test, results
from tests.viz.graphs import ADD, ASSIGN, COND, COPY, DEPEND, MATMUL, RESHAPE, op
from viz.common.elements import document
from viz.common.style import CHANGE_STYLES, NODE_STYLES, QUEUES, WAIT, kind_of, node_style, picture_css, with_dark_mode

# Matrices from linear RGB to what viewers without long (protan) or medium (deutan) wavelength cones see: Vienot,
# Brettel and Mollon, "Digital video colourmaps for checking the legibility of displays by dichromats", 1999.
COLOR_VISIONS = {
    "protan": np.array([[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]]),
    "deutan": np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]]),
    "normal": np.eye(3),
}


def linear_rgb(color):
    channels = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def cielab(rgb):
    """A linear RGB colour in CIELAB."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ rgb
    ratio = np.clip(xyz / [0.9505, 1.0, 1.089], 0, None)
    f = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def color_difference(left, right, vision):
    """The CIE76 difference of two colours, as a viewer with this colour vision sees them."""
    return float(np.linalg.norm(cielab(vision @ linear_rgb(left)) - cielab(vision @ linear_rgb(right))))


def contrast(left, right):
    light, dark = sorted((float(linear_rgb(c) @ [0.2126, 0.7152, 0.0722]) for c in (left, right)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def color_sets():
    for name, row in [*NODE_STYLES.items(), *CHANGE_STYLES.items()]:
        yield f"{name}, light", row.light
        yield f"{name}, dark", row.dark


@pytest.mark.parametrize("vision", COLOR_VISIONS)
@pytest.mark.parametrize("background", ["light", "dark"])
@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(CHANGE_STYLES, 2)))
def test_changes_are_distinguishable_for_every_viewer(first, second, background, vision):
    a, b = (getattr(CHANGE_STYLES[name], background).line for name in (first, second))
    difference = color_difference(a, b, COLOR_VISIONS[vision])
    assert difference >= 25 or CHANGE_STYLES[first].glyph != CHANGE_STYLES[second].glyph
    assert difference >= 10


def test_changes_have_a_second_cue():
    assert len({change.glyph for change in CHANGE_STYLES.values()}) == len(CHANGE_STYLES)
    assert [name for name, change in CHANGE_STYLES.items() if change.dash] == ["removed"]


def test_every_kind_has_a_meaning_and_a_known_shape_and_unknown_kinds_have_a_style():
    assert all(style.meaning for style in NODE_STYLES.values())
    assert {style.shape for style in NODE_STYLES.values()} <= {"box", "rounded", "ellipse", "cylinder"}
    assert node_style("made by a plug-in") == NODE_STYLES["vector"]


TEXT_COLORS = [
    *((name, colors, 4.5) for name, colors in color_sets()),
    *((queue, colors, 3) for queue, colors in QUEUES.items()),
    ("waiting", WAIT, 4.5),
]


@pytest.mark.parametrize(
    ("name", "colors", "minimum"), TEXT_COLORS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_text_is_legible_on_its_fill_and_on_bars(name, colors, minimum):
    assert contrast(colors.text, colors.fill) >= minimum


test_the_kind_comes_from_the_record = results(
    kind_of,
    (MATMUL, "cube"),
    (ADD, "vector"),
    (COPY, "move"),
    (RESHAPE, "view"),
    (ASSIGN, "effect"),
    (DEPEND, "depend"),
    (COND, "region"),
    (op("odd", unit="none", family="other"), "view"),
    (op("odd", unit="no such unit", family="other"), "vector"),
)


@in_one_test(sorted(TABLE))
def test_every_operator_has_a_style(name):
    assert kind_of(TABLE[name]) in NODE_STYLES


def test_the_css_names_every_kind_and_change_in_light_and_dark():
    light, dark = picture_css().split("@media (prefers-color-scheme: dark)")
    for part in (light, dark):
        assert all(f".k-{kind} " in part for kind in NODE_STYLES)
        assert all(f".{status}" in part for status in CHANGE_STYLES)
        assert part.count("{") - part.count("}") == 0


def test_views_hide_one_side_each_without_a_new_layout():
    css = picture_css()
    assert ".picture.before .added, .picture.after .removed { visibility: hidden; }" in css
    assert "display" not in css


def test_a_standalone_picture_has_dark_colours_and_is_xml():
    picture = with_dark_mode(document(10, 10, []))
    root = ElementTree.fromstring(picture)
    assert root.get("class") == "picture"
    (style,) = root.iter("{http://www.w3.org/2000/svg}style")
    assert style.text.startswith("@media (prefers-color-scheme: dark)") and ".k-cube" in style.text
    assert NODE_STYLES["cube"].dark.fill in style.text and NODE_STYLES["cube"].light.fill not in style.text


def test_pictures_of_other_programs_stay_as_they_are():
    assert with_dark_mode("<?xml version='1.0'?><svg/>") == "<?xml version='1.0'?><svg/>"
