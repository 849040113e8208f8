"""The NPU simulator compared with published measurements, and its two engines with each other."""
