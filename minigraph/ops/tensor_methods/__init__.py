"""Methods of a Tensor whose signature differs from the function with the same name."""
