"""The operator records, a file for each family; a record holds everything minigraph knows about an operator."""
