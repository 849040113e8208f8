import numpy as np

from minigraph.examples import digits


def test_it_learns_to_read():
    losses = [loss for _, loss in digits.train()]
    assert losses[-1] < 0.1 * losses[0]
    assert digits.accuracy() > 0.95


def test_batches_are_whole_and_reshuffled_each_epoch():
    first, second = list(digits.batches(0)), list(digits.batches(1))
    assert all(images.shape == (digits.BATCH, 64) and labels.shape == (digits.BATCH,) for images, labels in first)
    assert not np.array_equal(first[0][1].array, second[0][1].array)


def test_the_jitted_step_is_the_eager_step():
    saved = [p.array for p in digits.optimizer.get_parameters()]
    images, labels = digits.example_inputs()
    eager = digits.train_step.fn(images, labels), [p.array for p in digits.optimizer.parameters]
    for parameter, array in zip(digits.optimizer.get_parameters(), saved, strict=True):
        parameter.array = array
    compiled = digits.train_step(images, labels), [p.array for p in digits.optimizer.parameters]
    assert eager[0].array == compiled[0].array
    assert all(np.array_equal(a, b) for a, b in zip(eager[1], compiled[1], strict=True))
