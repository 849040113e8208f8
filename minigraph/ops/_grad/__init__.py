"""MindSpore 1's package of gradients; ``grad_base`` has the registry for users' primitives."""
