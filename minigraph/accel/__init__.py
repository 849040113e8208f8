"""The accelerator: the results of the reference, sooner. It may be absent."""
