"""Methods of a Tensor whose signature differs from that of the function of their name."""
