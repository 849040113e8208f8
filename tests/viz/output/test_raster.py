"""PNG, PDF and GIF of SVG text, and the frames of animated SVG."""

import io

import pytest

import passes
import viz
from minigraph import Tensor, jit, nn, ops, simulate
from minigraph.core.errors import RenderError
from viz.common.elements import Svg
from viz.output import raster
from viz.output.raster import AnimatedSvg, gif_of, pdf_of, png_of

needs_pictures = pytest.mark.skipif(raster.resvg_py is None, reason="needs the extra 'pictures'")
STATIC_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="5" height="5" fill="#f00"/></svg>'
)
BLINKING_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="9" height="9" fill="#00f">'
    '<animate attributeName="opacity" values="0;1" keyTimes="0;0.5" calcMode="discrete" dur="2s"/></rect></svg>'
)
MOVING_SVG = BLINKING_SVG.replace("opacity", "x").replace("0;0.5", "0;1").replace("discrete", "linear")


def program(x):
    return ops.tanh(ops.neg(ops.neg(x)))


def open_image(data):
    return pytest.importorskip("PIL.Image").open(io.BytesIO(data))


def test_a_frame_has_the_attribute_values_at_its_time():
    blinking, moving = AnimatedSvg(BLINKING_SVG), AnimatedSvg(MOVING_SVG)
    assert (blinking.seconds, AnimatedSvg(STATIC_SVG).seconds) == (2.0, 0.0)
    for time, opacity in ((0.0, 0), (0.49, 0), (0.5, 1)):
        assert f'opacity="{opacity}"' in blinking.frame_at(time)
    assert 'x="0.25"' in moving.frame_at(0.25) and "animate" not in moving.frame_at(1.0)


def test_discrete_animations_are_sampled_at_their_changes_and_continuous_ones_regularly():
    assert AnimatedSvg(BLINKING_SVG).frame_times(10) == [0.0, 0.5]
    assert AnimatedSvg(MOVING_SVG).frame_times(10) == [k / 20 for k in range(20)]
    assert len(AnimatedSvg(MOVING_SVG).frame_times(1e6)) == raster.MAX_GIF_FRAMES


@needs_pictures
def test_pictures_are_rasterised_with_a_limited_size():
    image = open_image(png_of(STATIC_SVG))
    assert image.size == (40, 20) and image.convert("RGB").getpixel((2, 2)) == (255, 0, 0)
    assert pdf_of(STATIC_SVG).startswith(b"%PDF")
    assert max(open_image(png_of(STATIC_SVG.replace('width="20"', 'width="30000"'))).size) <= raster.MAX_SIDE_PIXELS
    with pytest.raises(RenderError, match="png: .*; check the SVG"):
        png_of("no picture")


@needs_pictures
def test_a_gif_has_a_frame_per_change_and_lasts_as_long():
    image = open_image(gif_of(BLINKING_SVG, repeats=3))
    frames = []
    for k in range(image.n_frames):
        image.seek(k)
        frames.append((image.convert("RGB").getpixel((2, 2)), image.info["duration"]))
    assert frames == [((255, 255, 255), 1000), ((0, 0, 255), 1000)]
    assert open_image(gif_of(STATIC_SVG)).n_frames == 1


@needs_pictures
def test_every_picture_has_every_format(tmp_path):
    graph = jit(program).graph(Tensor([1.0]), pipeline=())
    records, report = passes.as_pipeline("default").run(graph, snapshots=True), simulate(program, Tensor([1.0]))
    for source in (report, nn.Dense(2, 3), viz.memory_plan(jit(program), Tensor([1.0])), viz.launches(report)):
        assert viz.png(source).startswith(b"\x89PNG") and viz.pdf(source).startswith(b"%PDF")
    for animated in (report, records):
        path = viz.save(animated, tmp_path / "animation.gif")
        assert path.read_bytes().startswith(b"GIF8") and open_image(path.read_bytes()).n_frames > 1
    assert viz.gif(viz.pass_animation(records)).startswith(b"GIF8")


def test_without_the_extra_the_error_has_the_install_command(monkeypatch):
    monkeypatch.setattr(raster, "resvg_py", None)
    for draw in (viz.png, viz.pdf, viz.gif):
        with pytest.raises(RenderError, match=r"pip install 'minigraph\[pictures\]'"):
            draw(Svg(STATIC_SVG))
