import pytest


@pytest.fixture(autouse=True)
def untrained(request):
    """The network of an example is afterwards as it was: ``digits`` for ``test_digits``."""
    example = getattr(request.module, request.module.__name__.rpartition("test_")[2])
    kept = [(p, p.array.copy()) for p in example.optimizer.get_parameters()] if hasattr(example, "optimizer") else []
    yield
    for parameter, array in kept:
        parameter.array = array
