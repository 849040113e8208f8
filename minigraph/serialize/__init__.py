"""Checkpoints: the Parameters of a network in one file, saved atomically and validated before they are loaded.

The file is a `safetensors <https://github.com/huggingface/safetensors>`_ file, so loading it never runs code.
Its metadata lists the records in order, with their types and CRC-32 checksums (safetensors itself keeps neither
the order nor a checksum). Names are data inside of that one file and never become paths.
"""

from minigraph.serialize.load import load_checkpoint
from minigraph.serialize.network import load_param_into_net
from minigraph.serialize.save import save_checkpoint

__all__ = ["load_checkpoint", "load_param_into_net", "save_checkpoint"]
