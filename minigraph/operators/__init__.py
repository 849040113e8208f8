"""The records of the operators, a file for each family: all that is known of an operator stands there."""
