"""The accelerator: the results of the reference, faster. It may be absent."""
