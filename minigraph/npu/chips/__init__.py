"""Chips as data: one TOML file each, with the provenance of every parameter; their reader and their registry."""

from minigraph.npu.chips.chip import Chip
from minigraph.npu.chips.chip_file import load_chip
from minigraph.npu.chips.hardware_parameter import HardwareParameter
from minigraph.npu.chips.registry import CHIPS, chip_named, register_chip

__all__ = ["CHIPS", "Chip", "HardwareParameter", "chip_named", "load_chip", "register_chip"]
