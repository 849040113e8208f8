"""The NPU simulator against published measurements, and its two engines against each other."""
