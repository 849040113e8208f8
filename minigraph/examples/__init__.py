"""Programs that ship with minigraph, written as a user would write them."""
