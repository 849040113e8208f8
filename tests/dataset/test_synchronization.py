"""Rows that wait for signals: callbacks change later rows, and a missing signal is an error instead of a hang."""

import pytest

from minigraph.dataset import NumpySlicesDataset


def numbers(count=4):
    return NumpySlicesDataset(list(range(count)), "n", shuffle=False)


def test_signals_change_the_next_computation():
    factor = {"value": 1}
    rows = numbers().sync_wait("factor", callback=lambda data: factor.update(value=data)).map(
        lambda n: n * factor["value"]).batch(1)  # fmt: skip
    seen = []
    for step, (batch,) in enumerate(rows.create_tuple_iterator(num_epochs=1, output_numpy=True)):
        seen.append(int(batch[0]))
        rows.sync_update("factor", data=10 ** (step + 1))
    assert seen == [0, 10, 200, 3000] and rows.get_dataset_size() == 4


def test_several_rows_per_signal():
    rows = numbers(5).sync_wait("go", num_batch=2)
    iterator = rows.create_tuple_iterator(num_epochs=1)
    assert [next(iterator)[0].item() for _ in range(2)] == [0, 1]
    with pytest.raises(RuntimeError, match=r"no sync_update\('go'\) after 2 rows"):
        next(iterator)
    iterator = rows.create_tuple_iterator(num_epochs=1)
    next(iterator)
    rows.sync_update("go", num_batch=4)
    assert len(list(iterator)) == 4


def test_names():
    rows = numbers().sync_wait("go")
    with pytest.raises(RuntimeError, match="already in use"):
        rows.sync_wait("go")
    with pytest.raises(RuntimeError, match="not found"):
        rows.sync_update("stop")
    with pytest.raises(TypeError, match="condition_name"):
        numbers().sync_wait(1)
    with pytest.raises(ValueError, match="num_batch"):
        numbers().sync_wait("go", 0)
