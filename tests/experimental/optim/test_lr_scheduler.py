"""The module of all schedulers."""

from minigraph.experimental.optim import SGD, lr_scheduler
from tests.experimental.optim.rates import sgd


def test_schedulers_that_count_steps_only_have_the_base_class() -> None:
    others = {"ReduceLROnPlateau", "SequentialLR"}
    derived = {
        name for name in lr_scheduler.__all__ if issubclass(getattr(lr_scheduler, name), lr_scheduler.LRScheduler)
    }
    assert {*lr_scheduler.__all__} - derived == others and isinstance(sgd(), SGD)
