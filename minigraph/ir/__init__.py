"""The intermediate representation: graph, records, text, verifier, outlining."""
