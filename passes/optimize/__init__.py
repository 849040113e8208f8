"""The passes, one file each, which says what it does and whether every bit stays."""
