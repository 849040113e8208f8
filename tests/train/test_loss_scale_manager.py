import pytest

from minigraph.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager


def test_a_fixed_scale_stays():
    manager = FixedLossScaleManager(1024.0, False)
    manager.update_loss_scale(True)
    assert (manager.get_loss_scale(), manager.get_drop_overflow_update(), manager.get_update_cell()) == (
        1024,
        False,
        None,
    )
    assert str(FixedLossScaleManager().get_update_cell()) == "FixedLossScaleUpdateCell()"


def test_a_dynamic_scale_follows_overflows_as_in_mindspore():
    manager, scales = DynamicLossScaleManager(16, 2, 3), []
    for overflow in (True, False, False, False, False, False, False, True):
        manager.update_loss_scale(overflow)
        scales.append(manager.get_loss_scale())
    assert scales == [8, 8, 8, 16, 16, 16, 32, 16]
    assert manager.get_drop_overflow_update() and manager.get_update_cell().get_loss_scale() == 16


def test_a_scale_is_at_least_one():
    for kind in (FixedLossScaleManager, DynamicLossScaleManager):
        with pytest.raises(ValueError, match="loss_scale"):
            kind(0.5)
