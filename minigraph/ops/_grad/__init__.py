"""Where MindSpore 1 kept its gradients; ``grad_base`` has the registry for users' own."""
