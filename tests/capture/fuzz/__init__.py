"""A generator of programs for Python semantics: eager mode is the reference, ``@jit`` has to agree at every call."""
