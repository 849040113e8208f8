"""The accelerator: computes the results of the reference faster. It is optional."""
