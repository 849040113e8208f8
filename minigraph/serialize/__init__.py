"""Checkpoints: the Parameters of a network in one file, saved atomically and validated before they are loaded.

The file is a `safetensors <https://github.com/huggingface/safetensors>`_ file, so loading it never runs code.
Its metadata lists the records in order, with their types and CRC-32 checksums (safetensors itself keeps neither
the order nor a checksum). Names are data inside of that one file and never become paths.
"""

from minigraph.serialize.conversion import (
    async_ckpt_thread_status,
    ckpt_to_safetensors,
    load_checkpoint_async,
    safetensors_to_ckpt,
)
from minigraph.serialize.load import load_checkpoint
from minigraph.serialize.network import load_param_into_net
from minigraph.serialize.save import save_checkpoint

__all__ = [
    "async_ckpt_thread_status", "ckpt_to_safetensors", "load_checkpoint", "load_checkpoint_async",
    "load_param_into_net", "safetensors_to_ckpt", "save_checkpoint",
]  # fmt: skip
