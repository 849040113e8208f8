"""Marks and metadata of a trace."""

from minigraph import profiler


def test_marks_and_metadata_are_in_the_trace():
    kept = []
    with profiler.profile(on_trace_ready=lambda prof: kept.extend(prof.trace())) as prof:
        profiler.mstx.mark("begin")
        assert profiler.mstx.range_end(profiler.mstx.range_start("range")) is None
        prof.add_metadata("model", "small")
        prof.add_metadata_json("sizes", "[1, 2]")
    assert [event["name"] for event in kept] == ["process_name", "metadata", "begin", "range"]
    assert kept[1]["args"] == {"model": "small", "sizes": [1, 2]}
    profiler.mstx.mark("outside of a profile")
