"""The intermediate representation: the graph, its text form, its verifier, and outlining."""
