"""What is compared: a module per group of tables."""
