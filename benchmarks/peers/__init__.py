"""The other frameworks that are measured, in this interpreter and in others."""
