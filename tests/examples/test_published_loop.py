"""The loop behind a published ratio: its result, and the four bars that explain the ratio."""

import numpy as np

from minigraph.cli.story import collect_story
from minigraph.cli.target import load_target
from minigraph.examples import published_loop
from passes import as_pipeline


def test_it_equals_numpy(monkeypatch):
    monkeypatch.setattr(published_loop, "ITERATIONS", 3)
    x, w = published_loop.example_inputs()
    expected = x.asnumpy()
    for _ in range(3):
        expected = np.tanh(expected @ w.asnumpy())
    np.testing.assert_allclose(published_loop.loop(x, w).asnumpy(), expected, rtol=1e-4, atol=1e-5)


def test_four_bars_explain_a_published_ratio(monkeypatch):
    monkeypatch.setattr("minigraph.cli.story.time_in_turns", lambda *calls: [[1.0], [1.0]])  # no clock is needed
    target = load_target(f"{published_loop.__file__}:loop")
    story = collect_story(target, "ascend910a", as_pipeline("default"), lambda text: None)
    seconds = {bar.name: bar.time.us / 1e6 for bar in story.bars}
    assert len(story.before.rows) == len(story.after.rows) == 200
    assert 1.0 < seconds["cold eager"] < 2.0  # published: about 1.5
    assert seconds["warm eager"] < 0.02
    assert seconds["warm graph"] < 0.005 < seconds["warm eager"]
    assert story.bound_notes[0].startswith("host-bound")
    assert any("mostly cold start, as in a published 30x" in line for line in story.bound_notes)
