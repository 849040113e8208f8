"""Callbacks of ``map``: their order, MindSpore's counts, and errors."""

from minigraph.dataset import DSCallback, NumpySlicesDataset
from tests.tables import error_cases

EVENTS = "ds_begin", "ds_epoch_begin", "ds_step_begin", "ds_step_end", "ds_epoch_end"


class Recorder(DSCallback):
    def __init__(self, seen, step_size=1):
        super().__init__(step_size)
        for event in EVENTS:
            setattr(self, event, lambda context, event=event: seen.append((event, *context)))


def numbers():
    return NumpySlicesDataset([1, 2, 3], "n", shuffle=False)


def test_order_and_counts():
    seen = []
    rows = numbers().map(lambda n: seen.append(int(n)) or n, callbacks=[Recorder(seen, 2)])
    iterator = rows.create_tuple_iterator(num_epochs=2)
    assert [len(list(iterator)), len(list(iterator))] == [3, 3]
    # the numbers, and the rows at which callbacks of every second row are called, are MindSpore's
    assert seen == [
        ("ds_begin", 0, 0, 0), ("ds_epoch_begin", 1, 0, 0),
        ("ds_step_begin", 1, 1, 1), 1, ("ds_step_end", 1, 1, 1), 2, ("ds_step_begin", 1, 3, 3), 3,
        ("ds_step_end", 1, 3, 3), ("ds_epoch_end", 1, 3, 3), ("ds_epoch_begin", 2, 0, 3),
        ("ds_step_begin", 2, 1, 4), 1, ("ds_step_end", 2, 1, 4), 2, ("ds_step_begin", 2, 3, 6), 3,
        ("ds_step_end", 2, 3, 6), ("ds_epoch_end", 2, 3, 6),
    ]  # fmt: skip


def test_one_callback_without_a_list():
    seen = []
    assert len(list(numbers().map(abs, callbacks=Recorder(seen)).take(2))) == 2
    assert [event for event, *_ in seen].count("ds_step_end") == 2


test_errors = error_cases(
    (lambda: numbers().map(abs, callbacks=[3]), TypeError, "DSCallback"),
    (lambda: DSCallback(0), ValueError, "step_size"),
)
