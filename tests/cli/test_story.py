import warnings

import numpy as np

from minigraph.capture.side_effects import SideEffectWarning
from minigraph.cli import main
from minigraph.cli.story import collect_story
from minigraph.cli.target import load_target
from passes import as_pipeline


def test_the_story_has_calls_graphs_records_cycles_and_times(story):
    assert [str(call.op) for call in story.calls] == ["matmul", "add", "relu", "mul", "softmax"]
    assert all(call.loc.file.endswith("net.py") for call in story.calls)
    assert len(story.captured) == 9 and len(story.optimized) < len(story.captured)
    assert [r.name for r in story.records] == [str(p) for p in as_pipeline("default").passes]
    assert all(r.cycles is not None and r.before is not None for r in story.records)
    assert story.after.graph_us < story.before.eager_us
    assert min(story.times.eager.low, story.times.compiled.low, story.times.compilation) > 0
    assert story.times.speedup.low <= story.times.speedup.median <= story.times.speedup.high
    assert set(story.other_cycles) == {"graph_kernel", "fast"} and min(story.other_cycles.values()) > 0


def test_explaining_a_step_does_not_train(program):
    target = load_target(f"{program}:count")
    weight, before = target.module.w, target.module.w.array.copy()
    target = target._replace(inputs=target.inputs[:1])
    collect_story(target, "ascend910b1", as_pipeline("default"), lambda text: None)
    assert np.array_equal(weight.array, before)
    target.function(*target.inputs)
    assert not np.array_equal(weight.array, before)


def test_calls_recorded_by_a_tape_inside_the_step_are_marked(program):
    target = load_target(None)
    story = collect_story(target, "ascend910b1", as_pipeline("none"), lambda text: None)
    recorded = [str(call.op) for call in story.calls if call.is_recorded]
    layer = ["transpose", "matmul", "add"]
    assert recorded == [*layer, "relu", *layer, "cross_entropy"], "the forward part and nothing else"


def test_source_lines_belong_to_the_users_program(program, tmp_path):
    assert main(["explain", f"{program}:attend", "--out", str(tmp_path / "o")]) == 0
    text = (tmp_path / "o" / "00_captured.ir").read_text()
    assert "test_story.py" not in text and "# net.py:" in text


def test_the_segments_of_a_split_function_are_shown(tmp_path, capsys):
    net = tmp_path / "parts.py"
    net.write_text(
        "from minigraph import Tensor, ops\nLOG = []\ndef example_inputs(): return Tensor([1.0, 2.0])\n"
        "def uses_value(x):\n    y = ops.sin(x) * 2\n    n = int(y.sum())\n    return ops.cos(y) * n\n"
        "def logs(x):\n    y = ops.sin(x) * 2\n    LOG.append(1)\n    return ops.cos(y) * 2\n"
        "def uses_only_value(x):\n    return int(x.sum())\n"
    )
    for name, parts in (
        ("uses_value", ["graph: 'uses_value:5'", "op by op: line 6, because the value of", "graph: 'uses_value:7'"]),
        ("logs", ["graph: 'logs:9'", "op by op: line 10, because the list 'LOG' is changed", "graph: 'logs:11'"]),
        ("uses_only_value", ["op by op: 'uses_only_value', because the value of"]),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SideEffectWarning)
            assert main(["explain", f"{net}:{name}", "--out", str(tmp_path / "o")]) == 0
        text = " ".join(capsys.readouterr().out.split())
        assert "runs as several parts" in text
        assert all(part in text for part in parts)
