from minigraph.cli.words import counted, spelled
from passes import as_pipeline
from tests.tables import results

test_only_one_is_singular = results(
    counted, (0, "task", "0 tasks"), (1, "task", "1 task"), (2, "task", "2 tasks"), (50_000, "task", "50,000 tasks")
)
test_a_pipeline_in_a_sentence = results(
    spelled, (as_pipeline("lower_depend,cse,dce"), "lower_depend, cse, dce"), (as_pipeline(()), "no passes")
)
