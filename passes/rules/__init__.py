"""What rules do: matches replaced or fused, each checked first, counted and explained."""
