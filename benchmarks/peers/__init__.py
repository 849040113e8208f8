"""Who else takes part, here and in other interpreters."""
