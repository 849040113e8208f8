from tests.viz.explore.contrast import contrast


def test_black_on_white_and_grey_on_itself():
    assert round(contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)"), 6) == 21
    assert contrast("rgb(120, 120, 120)", "rgb(120, 120, 120)") == 1
