"""Where MindSpore 2 keeps its gradients; ``grad_base`` has the registry for users' own."""
