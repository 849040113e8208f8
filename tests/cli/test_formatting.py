from minigraph.cli.formatting import count_text, pipeline_text
from passes import as_pipeline
from tests.tables import results

test_only_one_is_singular = results(
    count_text, (0, "task", "0 tasks"), (1, "task", "1 task"), (2, "task", "2 tasks"), (50_000, "task", "50,000 tasks")
)
test_a_pipeline_in_a_sentence = results(
    pipeline_text, (as_pipeline("lower_depend,cse,dce"), "lower_depend, cse, dce"), (as_pipeline(()), "no passes")
)
