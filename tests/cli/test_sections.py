from dataclasses import replace
from html import escape

from minigraph.cli.sections import MAX_TASKS, sections_of
from minigraph.npu.reports import task_sheet
from viz import page


def test_the_page_holds_the_whole_story(story):
    text = page("attend", sections_of(story, [("trace.json", "for Perfetto")]))
    for part in ("At a glance", "Program", "Eager execution", "Captured graph", "Passes", "Simulated chip", "Files"):
        assert part in text
    assert "ops.relu(q @ k + 1.0)" in text and 'trace.json"' in text
    assert "cannot draw this picture" not in text


def test_a_long_list_of_tasks_is_cut_and_names_the_file_with_all(story):
    rows = story.after.rows * (MAX_TASKS + 1)
    text = page("t", sections_of(replace(story, after=replace(story.after, rows=rows)), []))
    assert f"The first {MAX_TASKS} of {len(rows):,} tasks of the optimised graph; op_summary.csv lists all." in text


def test_the_page_says_what_its_verdicts_bands_and_grades_mean(story):
    text = page("t", sections_of(story, []))
    assert all(heading in text for heading in (">verdict<", ">grade<", ">band us<"))
    assert all(escape(legend) in text for legend in task_sheet(story.after).legends)


def test_user_text_is_escaped(story):
    hostile = story.target._replace(name="<script>alert(1)</script>", source="x < y & z")
    text = page("t", sections_of(story.__class__(**{**vars(story), "target": hostile}), []))
    assert "<script>alert" not in text and "x &lt; y &amp; z" in text


def test_the_page_has_sliders_that_start_at_the_chips_values(story):
    text = page("t", sections_of(story, []))
    assert text.count('type="range"') > 10
    assert 'aria-label="task.head_us" data-results="2.5 → ' in text
    assert "critical path of attend" in text and "gain of fusing each edge" in text
    for bar in story.bars:
        assert bar.name in text
    assert all(sentence.split(":")[0] in text for sentence in story.bound_notes)
