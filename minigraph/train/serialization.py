"""Checkpoints under MindSpore's path.

>>> from minigraph.train.serialization import load_checkpoint, load_param_into_net
"""

from minigraph.serialize import load_checkpoint, load_param_into_net, save_checkpoint

__all__ = ["load_checkpoint", "load_param_into_net", "save_checkpoint"]
