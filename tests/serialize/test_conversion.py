"""Checkpoints under other names and suffixes."""

import pytest

import minigraph as ms
from minigraph import nn


def test_there_and_back_with_new_names(tmp_path):
    ms.save_checkpoint(nn.Dense(2, 1, "ones", "zeros"), tmp_path / "net.ckpt")
    ms.ckpt_to_safetensors(str(tmp_path), str(tmp_path / "new"), {"weight": "kernel"})
    ms.safetensors_to_ckpt(str(tmp_path / "new" / "net.safetensors"))
    loaded = ms.load_checkpoint_async(str(tmp_path / "new" / "net.ckpt")).result()
    assert list(loaded) == ["kernel", "bias"] and loaded["kernel"].tolist() == [[1.0, 1.0]]
    assert not ms.async_ckpt_thread_status()


def test_no_file(tmp_path):
    with pytest.raises(ValueError, match="no file .ckpt"):
        ms.ckpt_to_safetensors(str(tmp_path))


def test_files_of_one_name_stay_in_their_folders(tmp_path):
    for rank in range(2):
        (tmp_path / "old" / f"rank_{rank}").mkdir(parents=True)
        ms.save_checkpoint({"x": ms.Tensor([float(rank)])}, tmp_path / "old" / f"rank_{rank}" / "net.ckpt")
    ms.ckpt_to_safetensors(str(tmp_path / "old"), str(tmp_path / "new"))
    ms.safetensors_to_ckpt(str(tmp_path / "new"), str(tmp_path / "back"))
    for rank in range(2):
        assert ms.load_checkpoint(tmp_path / "back" / f"rank_{rank}" / "net.ckpt")["x"].tolist() == [rank]
