"""Functions with MindSpore's names and signatures; each is one or a few calls of operators."""
